import { describe, expect, it } from '@jest/globals';
import { dribble, useSockets } from '../../http/raw-socket.js';
import { databases } from '../../support/databases.js';
import { useService, useTestClock } from '../../support/fixture.js';
import { newUser, record } from '../../support/scene.js';
import type { Answer } from '../../support/service.js';
import { until } from '../../support/until.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const PATH = '/v1/notification';
const REST = 'Content-Type: application/json\r\n';

const headOf = (path: string, key: string, framing = `Content-Length: ${MIB}`) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${REST}${framing}\r\n\r\n`;

describe.each(databases)('a call with a body, on $name', (kind) => {
  useTestClock();
  const service = useService(kind, { RATE_LIMIT_PER_MINUTE: '5', NOTIFICATION_RATE_LIMIT_PER_MINUTE: '5' });

  const left = ({ headers }: Answer) => Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

  it.each([PATH, '/v1/webhook'])('is refused past the limit before its body has come: %s', async (path) => {
    const key = await service.keyFor(newUser(), 'notifications:write', 'webhooks:write');
    for (let n = 0; n < 5; n++) await service.call('POST', path, {}, { key });
    const answer = await dribble(service.url, headOf(path, key));
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    expect(answer).toMatch(/retry-after: \d+\r\n/i);
    expect(answer).toMatch(/ratelimit: "\w+";r=0;t=\d+\r\n/i);
  });

  it('counts once, whether it is valid, refused or not even JSON', async () => {
    const user = newUser();
    const key = await service.keyFor(user, 'notifications:write');
    const valid = { event_kind: 'RECORD_FINISHED', user_id: user, record };
    const answers = [
      await service.call('POST', PATH, valid, { key }),
      await service.call('POST', PATH, {}, { key }),
      await service.call('POST', PATH, undefined, { key, raw: '{' }),
      await service.call('POST', PATH, undefined, { key }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 400, 400, 400]);
    expect(answers.map(left)).toEqual([4, 3, 2, 1]);
  });
});

describe.each(databases)('large bodies that do not end, on $name', (kind) => {
  const service = useService(kind);
  const connect = useSockets(() => service.url);

  /** Begins calls. @returns their connections, and the answers that have come so far */
  function begin(count: number, head: string, start = '{') {
    const answers: string[] = [];
    const sockets = Array.from({ length: count }, connect);
    for (const socket of sockets) {
      socket.write(head + start);
      // An answer may come in pieces.
      socket.once('data', (data) => answers.push(String(data)));
    }
    return { answers, sockets };
  }

  const notify = (key: string, bytes: number) => {
    const body = { event_kind: 'RECORD_FINISHED', user_id: 'acme', record: { id: 'r', analysis: [], x: '' } };
    body.record.x = 'x'.repeat(bytes - JSON.stringify(body).length);
    return service.call('POST', PATH, body, { key });
  };

  it.each([
    ['with their length', `Content-Length: ${MIB}`, '{'],
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\n{\r\n'],
  ])('%s, leave capacity to other callers, and to small bodies of the same', async (_, framing, start) => {
    const [greedy, other] = [
      await service.keyFor(newUser(), 'notifications:write'),
      await service.keyFor(newUser(), 'notifications:write'),
    ];
    const { answers } = begin(300, headOf(PATH, greedy, framing), start);
    await until(() => answers.length > 0, { what: 'refusals' });
    expect(answers[0]).toMatch(/^HTTP\/1\.1 429 [\s\S]*"too_many_bodies"/);
    expect(answers[0]).toMatch(/retry-after: 1\r\n/i);
    expect((await notify(other, MIB)).status).toBe(202);
    expect((await notify(greedy, 10 * KIB)).status).toBe(202);
    // Those that are not read yet are refused after a while, those that are read are not.
    await until(() => answers.length === 300 - 64, { what: 'all refusals' });
    expect(new Set(answers.map((answer) => answer.slice(0, 13)))).toEqual(new Set(['HTTP/1.1 429 ']));
  });

  it('give back what they had when their connections end', async () => {
    const key = await service.keyFor(newUser(), 'notifications:write');
    for (let round = 0; round < 4; round++) {
      const { answers, sockets } = begin(200, headOf(PATH, key));
      await until(() => answers.length > 0, { what: 'refusals' });
      for (const socket of sockets) socket.destroy();
    }
    await until(async () => (await notify(key, MIB)).status === 202);
    // As many as before fit: nothing is lost.
    const { answers } = begin(300, headOf(PATH, key));
    await until(() => answers.length === 300 - 64, { what: 'all refusals' });
  });

  it('are read as soon as others have been', async () => {
    const key = await service.keyFor(newUser(), 'notifications:write');
    const raw = JSON.stringify({ x: 'x'.repeat(MIB - 10) });
    const call = () => service.call('POST', PATH, undefined, { key, raw });
    const answers = await Promise.all(Array.from({ length: 80 }, call));
    expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['validation_failed']));
  });
});
