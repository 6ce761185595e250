import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { exchange } from '../egress/exchange.js';
import { expectProblem, NO_ID } from '../support/api.js';
import { SQLITE } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { ADMIN_KEY } from '../support/service.js';
import { createWebhook, webhookBody } from '../support/webhook.js';

const KIB = 1024;
const WEBHOOK = '/v1/webhook';
const LIST = '/v1/webhook/list';

/** JSON text padded to `bytes` bytes. */
const sized = (body: object, bytes: number) => JSON.stringify(body).padEnd(bytes);
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const report = (extra: string) =>
  `{"event_kind":"RECORD_FINISHED","user_id":"x","record":{"id":"r","analysis":[],"x":${extra}}}`;

describe('problems', () => {
  const service = useService(SQLITE);

  const get = (path: string) => service.call('GET', path);

  describe('of the route', () => {
    it.each([
      ...['/', '/v1', '/v1/nope', '/v1/webhook/', '/V1/webhook', '/v2/webhook', '/v1//webhook'],
      `/v1/${'a'.repeat(8000)}`,
    ])('does not know %s', async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
        const answer = await service.call(method, path, undefined, { key: null });
        expectProblem(answer, 404, 'route_not_found');
        expect(answer.body.instance).toBe(path);
      }
    });

    it.each([
      ['PUT', `${WEBHOOK}/event`, 'POST, PATCH, DELETE'],
      ['OPTIONS', WEBHOOK, 'GET, POST, PUT, PATCH, DELETE'],
      ['POST', LIST, 'GET'],
      ['PUT', '/v1/notification', 'GET, POST, DELETE'],
      ['DELETE', '/v1/webhook/trigger?id=1', 'GET'],
      ['PATCH', '/health/live', 'GET'],
    ])('does not take %s %s', async (method, path, allowed) => {
      const answer = await service.call(method, path);
      expectProblem(answer, 405, 'method_not_allowed');
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(allowed.split(', ').sort());
    });

    it('answers HEAD like GET, without the body', async () => {
      const head = (path: string) =>
        fetch(service.url + path, { method: 'HEAD', headers: { authorization: `Bearer ${ADMIN_KEY}` } });
      for (const [path, status] of [
        [LIST, 200],
        ['/v1/nope', 404],
        [`${WEBHOOK}?id=${NO_ID}`, 404],
      ] as const) {
        const answer = await head(path);
        expect(answer.status).toBe(status);
        expect(await answer.text()).toBe('');
      }
    });
  });

  describe('of the query', () => {
    it.each([
      ['limit=1&limit=2', 'limit'],
      ['name=a&name=b', 'name'],
      ['name=%00', 'name'],
      ['name=a%0Ab', 'name'],
      ['limit[]=1', 'limit[]'],
      ['limit[a]=1', 'limit[a]'],
      ['Limit=1', 'Limit'],
      ['constructor=1', 'constructor'],
      ['__proto__=1', '__proto__'],
      ...['%zz', '%', '%ff', '%c3%28', '%ED%A0%80', 'a'.repeat(8000)].map((name) => [`name=${name}`, 'name']),
    ])('refuses %s', async (query, name) => {
      expectProblem(await get(`${LIST}?${query}`), 400, 'validation_failed', [`?${name}`]);
    });

    it('is refused when there is a body', async () => {
      const { id } = await createWebhook(service);
      const writes: [string, string, object][] = [
        ['POST', WEBHOOK, { id }],
        ['PATCH', WEBHOOK, { id, name: 'x' }],
        ['POST', '/v1/webhook/event', { webhook_id: id, kind: 'RECORD_FINISHED' }],
        ['POST', '/v1/webhook/test', { id }],
        ['POST', '/v1/webhook/trigger/retry', { id: NO_ID }],
        ['POST', '/v1/notification', JSON.parse(report('1'))],
        ['POST', '/v1/api-key', { user_id: 'x', scopes: ['admin'] }],
      ];
      for (const [method, path, body] of writes) {
        const answer = await service.call(method, `${path}?dry_run=true`, body);
        expectProblem(answer, 400, 'validation_failed', ['?dry_run']);
      }
      expect((await get(`${WEBHOOK}?id=${id}`)).body.name).toBe('CRM sync');
    });

    it('may be percent-encoded without need', async () => {
      const { body } = await get(`${LIST}?%6Cimit=%31&name=%C3%A9%25zz`);
      expect(body).toEqual({ data: [], next_cursor: null });
      expectProblem(await get(`${LIST}?%zz=1&a%=1`), 400, 'validation_failed', ['?%zz', '?a%']);
    });
  });

  it.each(['/v1/%zz', '/v1/webhook/%', '/%ff'])('blame the caller for the badly encoded %s', async (path) => {
    const answer = await get(path);
    expectProblem(answer, 400, 'bad_request');
  });

  it.each([
    [400, 'names no host', `GET ${LIST} HTTP/1.1\r\n\r\n`],
    [400, 'has a malformed header', `GET ${LIST} HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n`],
    [400, 'is no HTTP', '\u0016\u0003\u0001\u0000\u0005hello'],
    [
      417,
      'expects wonders',
      `GET ${LIST} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: wonders\r\n\r\n`,
    ],
    [431, 'has too long a path', `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('are answered with %d to what %s', async (status, _what, text) => {
    const answer = await exchange(service.url, text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('application/problem+json');
    expect(answer).not.toMatch(/node_modules|\.js:\d+/);
  });
});

describe('problems of a body', () => {
  const service = useService(SQLITE);

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
    '{\f}',
    '{\u00a0}',
    '',
    ...[[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0xa6]].map((noUtf8) =>
      Buffer.from([...Buffer.from('{"name":"'), ...noUtf8, ...Buffer.from('"}')]),
    ),
  ])('refuses %j, which is not JSON', async (raw) => {
    expectProblem(await send(WEBHOOK, raw), 400, 'malformed_json');
    expectProblem(await send('/v1/notification', raw), 400, 'malformed_json');
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
    const body = JSON.stringify(webhookBody());
    for (const path of [WEBHOOK, '/v1/notification'])
      expectProblem(await send(path, body, { 'content-type': type }), 415, 'unsupported_media_type');
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
      for (const method of ['POST', 'PATCH']) {
        const answer = await service.call(method, WEBHOOK, undefined, { raw });
        expectProblem(answer, 400, 'validation_failed', ['']);
      }
      expectProblem(await send('/v1/notification', raw), 400, 'validation_failed', ['']);
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
