import fc from 'fast-check';
import { mostly } from './json.js';

const JSON_TYPE = ['Content-Type: application/json'];
const ODD_TYPES = [
  [],
  ['Content-Type:'],
  ['Content-Type: text/plain'],
  ['Content-Type: application/json; charset=utf-8'],
  ['Content-Type: application/json; charset=utf-16'],
  ['Content-Type: application/json; charset="\u00ff"'],
  ['Content-Type: application/json;;;'],
  ['Content-Type: application/json, text/plain'],
  ['Content-Type: __proto__/constructor'],
  ['Content-Type: application/json', 'Content-Type: text/plain'],
  ['Content-Type: application/json', 'Content-Encoding: gzip'],
  ['Content-Type: application/json', 'Content-Encoding: identity'],
];

/** Headers that state the type of a body. */
export const bodyType = mostly(fc.constant(JSON_TYPE), fc.constantFrom(...ODD_TYPES), 15);

const bearer = (key: string) => [`Authorization: Bearer ${key}`];
const ODD_CREDENTIALS = [
  [],
  ['Authorization:'],
  ['Authorization: Bearer'],
  ['Authorization: Basic YWRtaW46YWRtaW4='],
  bearer(`whk_${'B'.repeat(43)}`),
  bearer('~adminkey~ '),
  bearer(' ~adminkey~'),
  bearer('~adminkey~~adminkey~'),
  bearer("' OR 1=1 --"),
  bearer('\u00ff\u00fe'),
  bearer('a'.repeat(7000)),
  ['authorization: bearer ~adminkey~'],
  [...bearer('~adminkey~'), ...bearer('~readkey~')],
];

/** Scopes of the keys with a single scope, by the name of the key. */
export const KEY_SCOPES: Record<string, string> = {
  readkey: 'webhooks:read',
  writekey: 'webhooks:write',
  notifykey: 'notifications:write',
};

/** Whether a request with these headers may be let in if its key needs this scope. */
export function mayEnter(headers: string[], scope: string): boolean {
  const [line = '', ...others] = headers.filter((header) => /^authorization:/i.test(header));
  const key = /~(\w+)~ ?$/.exec(line)?.[1] ?? '';
  // With several such headers, the server may use any of them.
  return others.length > 0 || key === 'adminkey' || KEY_SCOPES[key] === scope;
}

/** Mostly the admin key; otherwise keys with one scope, or invalid credentials. */
export const credentials = mostly(
  fc.constant(bearer('~adminkey~')),
  fc.oneof(
    fc.constantFrom(bearer('~readkey~'), bearer('~writekey~'), bearer('~notifykey~')),
    fc.constantFrom(...ODD_CREDENTIALS),
  ),
  6,
);

const KEY = 'Idempotency-Key';
const ODD_HEADERS = [
  `${KEY}: k1`,
  `${KEY}: ~user~`,
  `${KEY}:`,
  `${KEY}: ${'k'.repeat(256)}`,
  `${KEY}: \u00e9`,
  `${KEY}: __proto__`,
  `${KEY}: a\tb`,
  'If-Match: *',
  'If-Match: "1"',
  'If-Match: W/"1"',
  'If-Match: \u00ff',
  `If-Match: ${'"a",'.repeat(1000)}`,
  'Accept: */*;q=1e999',
  'Accept-Encoding: gzip;q=-1',
  'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  'traceparent: ff-\u00ff',
  'Range: bytes=0-18446744073709551615',
  'X-Forwarded-For: 127.0.0.1, \u00ff, 999.999.999.999',
  'Origin: null',
  'Cookie: webhook_session=x',
  `Cookie: webhook_session=test.${'A'.repeat(80)}`,
  'Sec-Fetch-Site: cross-site',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Expect: 100-continue',
  'Expect: 200-ok',
  '__proto__: x',
  'X-Long: '.padEnd(9000, 'x'),
  'X-Longer: '.padEnd(70_000, 'x'),
  'X-Nul: a\u0000b',
  'X Blank: a',
  ' X-Folded: a',
  ': nothing',
  'X-Colon',
];

export const extraHeaders = mostly(
  fc.constant<string[]>([]),
  fc.uniqueArray(fc.constantFrom(...ODD_HEADERS), { minLength: 1, maxLength: 3 }),
  3,
);
