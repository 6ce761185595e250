import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { exchange } from '../egress/exchange.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { webhookBody } from '../support/webhook.js';

const KIB = 1024;
const WEBHOOK = '/v1/webhook';

/** JSON text padded to `bytes` bytes. */
const sized = (body: object, bytes: number) => {
  const text = JSON.stringify(body);
  return text + ' '.repeat(bytes - text.length);
};
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const report = (extra: string) =>
  `{"event_kind":"RECORD_FINISHED","user_id":"x","record":{"id":"r","analysis":[],"x":${extra}}}`;

describe.each(databases)('problems of a body on $name', (kind) => {
  const service = useService(kind);

  const send = (path: string, raw: string | Buffer<ArrayBuffer>, headers: Record<string, string> = {}) =>
    service.call('POST', path, undefined, { raw, headers });

  it.each([
    '{',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    'NaN',
    'undefined',
    '{"a":1}{"b":2}',
    '\u0000',
    '"\\x"',
    '',
  ])('refuses %j, which is not JSON', async (raw) => {
    expectProblem(await send(WEBHOOK, raw), 400, 'malformed_json');
    expectProblem(await send('/v1/notification', raw), 400, 'malformed_json');
  });

  it('refuses bytes that are not UTF-8', async () => {
    for (const bytes of [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0xa6]]) {
      const raw = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expectProblem(await send(WEBHOOK, raw), 400, 'malformed_json');
    }
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'x',
    'text/json',
    'application/json; charset=utf-16',
    'application/json; charset="iso-8859-1"',
  ])('refuses the content type %s', async (type) => {
    const answer = await send(WEBHOOK, JSON.stringify(webhookBody()), { 'content-type': type });
    expectProblem(answer, 415, 'unsupported_media_type');
  });

  it('accepts every spelling of UTF-8', async () => {
    for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8']) {
      const headers = { 'content-type': `application/json; charset=${charset}` };
      expect((await send(WEBHOOK, JSON.stringify(webhookBody()), headers)).status).toBe(201);
    }
  });

  it('refuses a compressed body', async () => {
    const body = JSON.stringify(webhookBody());
    for (const coding of ['gzip', 'br']) {
      const answer = await send(WEBHOOK, gzipSync(body), { 'content-encoding': coding });
      expectProblem(answer, 415, 'unsupported_media_type');
    }
    expect((await send(WEBHOOK, body, { 'content-encoding': 'identity' })).status).toBe(201);
  });

  it('refuses a body without a content type', async () => {
    const body = JSON.stringify(webhookBody());
    const answer = await exchange(
      service.url,
      `POST ${WEBHOOK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect(answer).toContain('application/problem+json');
  });

  it('refuses a call without a body', async () => {
    for (const path of [WEBHOOK, '/v1/webhook/event', '/v1/notification', '/v1/api-key']) {
      expectProblem(await service.call('POST', path), 400, 'validation_failed', ['']);
    }
    expectProblem(await service.call('PATCH', WEBHOOK), 400, 'validation_failed', ['']);
  });

  it.each(['[]', 'null', '"text"', '7', 'true', '[{"name":"x"}]'])(
    'refuses %s, which is not an object',
    async (raw) => {
      const writes: [string, string][] = [
        ['POST', WEBHOOK],
        ['PATCH', WEBHOOK],
        ['POST', '/v1/webhook/event'],
        ['PATCH', '/v1/webhook/event'],
        ['POST', '/v1/webhook/trigger/retry'],
        ['POST', '/v1/webhook/test'],
        ['POST', '/v1/notification'],
        ['POST', '/v1/api-key'],
      ];
      for (const [method, path] of writes) {
        const answer = await service.call(method, path, undefined, { raw });
        expectProblem(answer, 400, 'validation_failed', ['']);
      }
    },
  );

  it('accepts 256 KiB, and 1 MiB for a notification', async () => {
    expect((await send(WEBHOOK, sized(webhookBody(), 256 * KIB))).status).toBe(201);
    expectProblem(await send(WEBHOOK, sized(webhookBody(), 256 * KIB + 1)), 413, 'body_too_large');
    const notification = JSON.parse(report('1'));
    expect((await send('/v1/notification', sized(notification, 1024 * KIB))).status).toBe(202);
    const large = await send('/v1/notification', sized(notification, 1024 * KIB + 1));
    expectProblem(large, 413, 'body_too_large');
  });

  it('accepts 64 levels of nesting', async () => {
    expect((await send('/v1/notification', report(nested(62)))).status).toBe(202);
    expectProblem(await send('/v1/notification', report(nested(63))), 400, 'json_too_deep');
    expectProblem(await send(WEBHOOK, `{"x":${nested(63)}}`), 400, 'validation_failed');
    expectProblem(await send(WEBHOOK, `{"x":${nested(64)}}`), 400, 'json_too_deep');
    expectProblem(await send(WEBHOOK, '['.repeat(200_000)), 400, 'json_too_deep');
  });

  it('refuses unknown fields', async () => {
    const unknown = '{"constructor":1,"__proto__":2,"toString":3,"user":{"id":1}}';
    const beside = await send('/v1/webhook/event', `{"id":"${NO_ID}","a/b~c":1}`);
    expectProblem(beside, 400, 'validation_failed', ['/a~1b~0c']);
    const answer = await send('/v1/webhook/event', unknown);
    expectProblem(answer, 400, 'validation_failed');
    const pointers = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/constructor', '/__proto__', '/toString', '/user']));
  });
});
