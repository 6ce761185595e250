import { nounOf } from '../../support/operations.js';

/**
 * Values, by field name, that pass the validation where the schema alone says too little. `~webhook0~` and similar
 * placeholders stand for objects that are created before the request is sent.
 */
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const RECORD = '"id":"rec_1","analysis":[{"id":"ana_1","score":12345678901234567890},{"id":"ana_2"}]';

const KNOWN: Record<string, string[]> = {
  url: ['"~receiver~/hooks"', '"~receiver~/a%20b?x=1&y=%ff"', '"http://127.0.0.1:31151/"'],
  secret: [`"${SECRET}"`],
  kind: ['"ANALYSIS_FINISHED"', '"RECORD_FINISHED"', '"STATUS_CHANGED"'],
  event_kind: ['"RECORD_FINISHED"', '"ANALYSIS_FINISHED"', '"STATUS_CHANGED"'],
  events: ['[]', '["RECORD_FINISHED"]', '[{"kind":"STATUS_CHANGED","enabled":false},"ANALYSIS_FINISHED"]'],
  headers: ['{}', '{"X-Team":"risk"}', '{"Authorization":"Bearer x","constructor":"y"}'],
  record: [
    `{${RECORD}}`,
    `{${RECORD},"__proto__":1,"x":"\\ud800","deep":${'['.repeat(50)}${']'.repeat(50)}}`,
    `{"x":1e999,"x":-0,${RECORD.replace('analysis', 'analyses')}}`,
  ],
  analysis_id: ['"ana_1"', '"ana_2"'],
  record_id: ['"rec_1"', '"rec_2"', '"rec_1 "', '"\\u0000"'],
  user_id: ['"~user~"'],
  ids: ['["~trigger0~"]', '["~trigger0~","~trigger1~","~trigger0~"]'],
  key: ['"~adminkey~"', '"~readkey~"'],
  cursor: ['"~cursor~"'],
  limit: ['"1"', '"100"'],
  step: ['"minute"', '"hour"', '"day"'],
  since: ['"2020-01-01T00:00:00Z"', '"2026-11-21T10:15:30.123+02:00"'],
  until: ['"9999-12-31T23:59:59.999Z"'],
};

/** URLs that are dangerous to call or that parsers disagree about. */
const ODD_URLS = [
  'http://169.254.169.254/latest/meta-data',
  'http://[::1]:8080/',
  'http://[::ffff:10.0.0.1]/',
  'http://10.0.0.1:99999/',
  'http://user:pass@10.0.0.1/',
  'http:// 10.0.0.1/',
  'http:10.0.0.1',
  '//10.0.0.1/',
  'https://',
  'http://[',
  'http://xn--/',
  'http://a..b/',
  'javascript:alert(1)',
  `http://10.0.0.1/${'a'.repeat(2100)}`,
];
const ODD_HEADERS = [
  { Host: 'x' },
  { 'Content-Length': '0', 'Transfer-Encoding': 'chunked' },
  { 'X-Split': 'a\r\nX-Injected: 1' },
  { 'X-Nul': 'a\u0000b' },
  { '': 'a' },
  { 'X-Ü': 'ü' },
  { 'X-A': 'a', 'x-a': 'b' },
  { 'X-Number': 7 },
  { 'X-Large': 'a'.repeat(9000) },
  Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, 'a'])),
];
const ODD_TIMES = [
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01',
  '-000001-01-01T00:00:00Z',
  '+275760-09-13T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
];

const ODD: Record<string, unknown[]> = {
  url: ODD_URLS,
  headers: ODD_HEADERS,
  since: ODD_TIMES,
  until: ODD_TIMES,
  secret: ['whsec_', 'whsec_AAAA', `${SECRET}=`, SECRET.toUpperCase()],
  record_id: ['', 'x'.repeat(257), '\ud800'],
  kind: ['analysis_finished', 'NO_SUCH_KIND', 'A'.repeat(65)],
  ids: [[], ['x'], [1], Array.from({ length: 101 }, () => 'x')],
  key: ['', 'whk_', `whk_${'B'.repeat(43)}`, 'x'.repeat(201)],
  limit: ['0', '101', '1e1', '0x10', '٣'],
  cursor: ['AAAA', '='.repeat(10), 'a'.repeat(201)],
};

/** JSON source of invalid values specific to this field name; empty for other names. */
export const oddSources = (name: string): string[] =>
  (Object.hasOwn(ODD, name) ? (ODD[name] as unknown[]) : []).map((value) => JSON.stringify(value));

/** JSON source of valid values for this field name; null for other names. */
export function knownSources(name: string, path: string): string[] | null {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name] as string[];
  if (name !== 'id' && !name.endsWith('_id')) return null;
  // Its body names a webhook, and its query a recovery.
  if (name === 'id' && path.endsWith('/recover')) return ['"~webhook0~"', '"~webhook1~"', '"~recovery2~"'];
  const noun = name === 'id' ? (nounOf(path) ?? 'webhook').replace('-', '') : name.slice(0, -3);
  // Some objects are deleted during the run; having several makes it likelier that a call finds one.
  return [0, 1, 2].map((slot) => `"~${noun}${slot}~"`);
}
