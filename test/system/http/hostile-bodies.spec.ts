import { describe, expect, it } from '@jest/globals';
import { NO_ID } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { ADMIN_KEY } from '../../support/service.js';
import { leastBlockMs, leastCpuMs } from '../support/computing.js';

const KIB = 1024;
const MANAGEMENT = 256 * KIB;
const NOTIFICATION = 1024 * KIB;
/** Longer than `JSON.parse` takes, as the client shares the thread; short enough for health checks to be in time. */
const BLOCKED_MS = 200;
const ANSWER_BYTES = 64 * KIB;

/** `begin`, as many comma-separated parts as fit into `bytes`, then `end`. */
function filled(bytes: number, begin: string, part: (n: number) => string, end: string): string {
  const parts: string[] = [];
  let left = bytes - begin.length - end.length;
  for (let n = 0; ; n++) {
    const next = part(n);
    left -= Buffer.byteLength(next) + 1;
    if (left < 0) return begin + parts.join(',') + end;
    parts.push(next);
  }
}

const report = (record: string) => `{"event_kind":"RECORD_FINISHED","user_id":"x","record":${record}}`;

/** Ways to fill an object, or an array. */
const MEMBERS: [string, (n: number) => string][] = [
  ['one key over and over', () => '"a":0'],
  ['the empty key over and over', () => '"":0'],
  ['a few keys over and over', (n) => `"${(n % 500).toString(36)}":0`],
  ['keys twice', (n) => `"${(n >> 1).toString(36)}":0`],
  ['unknown keys', (n) => `"${n.toString(36)}":0`],
  ['keys of numbers', (n) => `"${n}":0`],
  ['keys of control characters', (n) => `"\\u0000${String.fromCharCode(0x100 + (n % 20_000))}":0`],
  ['escaped keys', (n) => `"\\u00${(0x41 + (n % 26)).toString(16)}${n.toString(36)}":0`],
  ['long keys', (n) => `"${String(n).padEnd(4000, 'k')}":0`],
  ['quotes in keys', (n) => `"\\"\\\\${n}":0`],
];
const ELEMENTS: [string, () => string][] = [
  ['numbers', () => '0'],
  ['empty texts', () => '""'],
  ['null', () => 'null'],
  ['empty objects', () => '{}'],
  ['empty arrays', () => '[]'],
  ['objects with unknown fields', () => '{"a":0,"b":0}'],
  ['nested arrays', () => `${'['.repeat(40)}${']'.repeat(40)}`],
  ['ids that are no texts', () => '{"id":0}'],
  ['escaped quotes', () => '"\\"\\"\\"\\"\\\\\\\\"'],
  ['numbers that no double holds', () => '1e999'],
];

interface Attack {
  name: string;
  method: 'POST' | 'PATCH';
  path: string;
  body: string;
}

const notification = (name: string, body: string): Attack => ({
  name: `a notification: ${name}`,
  method: 'POST',
  path: '/v1/notification',
  body,
});
const management = (name: string, method: Attack['method'], path: string, body: string): Attack => ({
  name: `${method} ${path}: ${name}`,
  method,
  path,
  body,
});

const WRITES = [
  ['POST', '/v1/webhook'],
  ['PATCH', '/v1/webhook'],
  ['POST', '/v1/webhook/event'],
  ['PATCH', '/v1/webhook/event'],
  ['POST', '/v1/webhook/test'],
  ['POST', '/v1/webhook/recover'],
  ['POST', '/v1/webhook/secret/rotate'],
  ['POST', '/v1/webhook/trigger/retry'],
  ['POST', '/v1/api-key'],
] as const;

const ATTACKS: Attack[] = [
  ...MEMBERS.flatMap(([name, part]) => [
    notification(name, filled(NOTIFICATION, '{', part, '}')),
    notification(
      `${name} beside what is needed`,
      filled(NOTIFICATION, report('{}').replace(/}$/, ','), part, '}'),
    ),
    notification(`a record of ${name}`, filled(NOTIFICATION, report('{').slice(0, -1), part, '}}')),
    ...WRITES.map(([method, path]) => management(name, method, path, filled(MANAGEMENT, '{', part, '}'))),
    management(
      `${name} beside an id`,
      'POST',
      '/v1/webhook',
      filled(MANAGEMENT, `{"id":"${NO_ID}",`, part, '}'),
    ),
    management(`headers of ${name}`, 'POST', '/v1/webhook', filled(MANAGEMENT, '{"headers":{', part, '}}')),
    management(
      `headers of ${name.replace('keys', 'names')}, texts`,
      'PATCH',
      '/v1/webhook',
      filled(MANAGEMENT, '{"headers":{', (n) => part(n).replace(/0$/, '"content-x"'), '}}'),
    ),
  ]),
  ...ELEMENTS.flatMap(([name, part]) => [
    notification(
      `analyses of ${name}`,
      filled(NOTIFICATION, report('{"id":"r","analysis":[').slice(0, -1), part, ']}}'),
    ),
    notification(`an array of ${name}`, filled(NOTIFICATION, '[', part, ']')),
    management(`events of ${name}`, 'POST', '/v1/webhook', filled(MANAGEMENT, '{"events":[', part, ']}')),
    management(`events of ${name}`, 'PATCH', '/v1/webhook', filled(MANAGEMENT, '{"events":[', part, ']}')),
    management(`scopes of ${name}`, 'POST', '/v1/api-key', filled(MANAGEMENT, '{"scopes":[', part, ']}')),
  ]),
  management(
    'a long name of a header',
    'POST',
    '/v1/webhook',
    `{"headers":{"content-${'x'.repeat(200 * KIB)}":""}}`,
  ),
  management('a long URL', 'POST', '/v1/webhook', `{"name":"x","url":"http://${'a.'.repeat(100 * KIB)}"}`),
  management('a long secret', 'POST', '/v1/webhook', `{"secret":"whsec_${'A'.repeat(200 * KIB)}"}`),
  management('a long kind', 'POST', '/v1/webhook/event', `{"kind":"${'A'.repeat(200 * KIB)}"}`),
  notification('a long kind', report('{}').replace('RECORD_FINISHED', 'A'.repeat(900 * KIB))),
  notification('a long user', report('{}').replace('"x"', `"${' '.repeat(900 * KIB)}x"`)),
  notification('backslashes', report(`{"x":"${'\\\\'.repeat(500 * KIB)}"}`)),
];

// All bodies are refused before the database is read, so testing one kind of database is enough.
describe.each(databases.slice(0, 1))('a hostile body on $name', (kind) => {
  const service = useService(kind);

  it.each(ATTACKS)('is refused quickly, with a short answer: $name', async ({ method, path, body }) => {
    const raw = Buffer.from(body);
    const send = async () => {
      const answer = await fetch(service.url + path, {
        method,
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        body: raw,
      });
      expect(answer.status).toBe(400);
      expect((await answer.arrayBuffer()).byteLength).toBeLessThan(ANSWER_BYTES);
    };
    const boundMs = BLOCKED_MS + (await leastCpuMs(() => JSON.parse(body), 0));
    expect(await leastBlockMs(send, boundMs)).toBeLessThan(boundMs);
  });
});
