import { describe, expect, it } from '@jest/globals';
import { NO_ID } from '../../support/api.js';
import { SQLITE } from '../../support/databases.js';
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

const POST_WEBHOOK = ['POST', '/v1/webhook'] as const;
const NOTIFY = ['POST', '/v1/notification'] as const;
const WRITES = [
  POST_WEBHOOK,
  ['PATCH', '/v1/webhook'],
  ['POST', '/v1/webhook/event'],
  ['PATCH', '/v1/webhook/event'],
  ['POST', '/v1/webhook/test'],
  ['POST', '/v1/webhook/recover'],
  ['POST', '/v1/webhook/secret/rotate'],
  ['POST', '/v1/webhook/trigger/retry'],
  ['POST', '/v1/api-key'],
] as const;
type Call = typeof NOTIFY | (typeof WRITES)[number];

/** Where members or elements may be many: in what call, after what and before what. */
type Place = [where: string, call: Call, begin: string, end: string];

const OBJECTS: Place[] = [
  ['', NOTIFY, '{', '}'],
  ['beside what is needed', NOTIFY, report('{}').replace(/}$/, ','), '}'],
  ['in a record', NOTIFY, report('{').slice(0, -1), '}}'],
  ...WRITES.map((call): Place => ['', call, '{', '}']),
  ['beside an id', POST_WEBHOOK, `{"id":"${NO_ID}",`, '}'],
  ['in headers', POST_WEBHOOK, '{"headers":{', '}}'],
];
const ARRAYS: Place[] = [
  ['as analyses', NOTIFY, report('{"id":"r","analysis":[').slice(0, -1), ']}}'],
  ['in place of an object', NOTIFY, '[', ']'],
  ['as events', POST_WEBHOOK, '{"events":[', ']}'],
  ['as events', ['PATCH', '/v1/webhook'], '{"events":[', ']}'],
  ['as scopes', ['POST', '/v1/api-key'], '{"scopes":[', ']}'],
];
const LONG_TEXTS: [what: string, call: Call, body: string][] = [
  ['a name of a header', POST_WEBHOOK, `{"headers":{"content-${'x'.repeat(200 * KIB)}":""}}`],
  ['a URL', POST_WEBHOOK, `{"name":"x","url":"http://${'a.'.repeat(100 * KIB)}"}`],
  ['a secret', POST_WEBHOOK, `{"secret":"whsec_${'A'.repeat(200 * KIB)}"}`],
  ['a kind', ['POST', '/v1/webhook/event'], `{"kind":"${'A'.repeat(200 * KIB)}"}`],
  ['a kind', NOTIFY, report('{}').replace('RECORD_FINISHED', 'A'.repeat(900 * KIB))],
  ['a user', NOTIFY, report('{}').replace('"x"', `"${' '.repeat(900 * KIB)}x"`)],
  ['backslashes', NOTIFY, report(`{"x":"${'\\\\'.repeat(500 * KIB)}"}`)],
];

const filledAt = ([where, call, begin, end]: Place, [what, part]: [string, (n: number) => string]) => ({
  name: `${call.join(' ')} with ${what} ${where}`.trim(),
  call,
  body: filled(call === NOTIFY ? NOTIFICATION : MANAGEMENT, begin, part, end),
});
const ATTACKS = [
  ...OBJECTS.flatMap((place) => MEMBERS.map((members) => filledAt(place, members))),
  ...MEMBERS.map(([name, part]): [string, typeof part] => [
    `${name}, with texts`,
    (n) => part(n).replace(/0$/, '"content-x"'),
  ]).map((members) => filledAt(['in headers', ['PATCH', '/v1/webhook'], '{"headers":{', '}}'], members)),
  ...ARRAYS.flatMap((place) => ELEMENTS.map((elements) => filledAt(place, elements))),
  ...LONG_TEXTS.map(([what, call, body]) => ({
    name: `${call.join(' ')} with ${what} that is long`,
    call,
    body,
  })),
];

// All bodies are refused before the database is read, so testing one kind of database is enough.
describe('a hostile body', () => {
  const service = useService(SQLITE);

  it.each(ATTACKS)(
    'is refused quickly, with a short answer: $name',
    async ({ call: [method, path], body }) => {
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
    },
  );
});
