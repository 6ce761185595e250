import { type Random, repeatedTo } from './random.js';

/** JSON source of about this many bytes. */
type Shape = (bytes: number, random: Random) => string;

const FILLINGS = [
  ...['a', 'A', ' ', '0', '.', '/', '-', '_', '%', ':', ';', '=', '&', '*', '[', '(', '$', '@', '#', '\\t'],
  ...['\\"', '\\\\', '\\u0000', '\\ud800', '\\n', 'é', '🦄', 'e\u0301', '\u202e', 'a.', '%20', '\\r\\n'],
];
const BEGINS = [
  '',
  'http://',
  'https://a.',
  'http://[::',
  'whsec_',
  'whk_',
  '$',
  '-----BEGIN ',
  '2026-11-',
  '{',
];
const ELEMENTS = [
  ...['0', '""', 'null', '{}', '[]', '[[[[]]]]', '{"id":0}', '{"id":"a"}', '1e999', '-1e-999', '1e300'],
  ...['"RECORD_FINISHED"', '{"kind":"RECORD_FINISHED"}', '123456789012345678901234567890', '"a.b.c"', 'true'],
  '{"kind":"RECORD_FINISHED","filter":{"a":{"$in":[1,2,3]}}}',
];
const KEYS: ((n: number) => string)[] = [
  () => 'a',
  () => '',
  (n) => n.toString(36),
  (n) => String(n),
  (n) => `a.${n}.b`,
  (n) => `$${['or', 'and', 'not', 'in', 'eq', 'gt', 'exists', 'elemMatch'][n % 8]}`,
  (n) => `\\u00${(0x41 + (n % 26)).toString(16)}${n.toString(36)}`,
  (n) => `X-${n}`,
  (n) => String(n).padEnd(500, 'k'),
  () => '__proto__',
];
const OPERATORS = ['$eq', '$ne', '$in', '$nin', '$gt', '$lte', '$startsWith', '$endsWith'];

const text: Shape = (bytes, random) =>
  `"${random.of(BEGINS)}${repeatedTo(bytes, random.of(FILLINGS))}${random.of(['', '!', 'x', '='])}"`;
const list: Shape = (bytes, random) => {
  const element = random.of(ELEMENTS);
  return `[${repeatedTo(bytes, `${element},`)}${element}]`;
};
const object: Shape = (bytes, random) => {
  const key = random.of(KEYS);
  const value = random.of(['0', '""', '{}', '[]', '1e999', '"x"']);
  const members: string[] = [];
  for (let length = 0, n = 0; length < bytes; n++) {
    const member = `"${key(n)}":${value}`;
    members.push(member);
    length += member.length + 1;
  }
  return `{${members}}`;
};
const digits: Shape = (bytes, random) =>
  random.of(['', '-', '0.', '1e', '1.', '1e-']) + repeatedTo(bytes, random.of(['1', '9', '10', '37']));
const nested: Shape = (bytes, random) => {
  const depth = random.of([8, 60, 64, 3000]);
  const [open, close] = random.of([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"$not":', '}'],
    ['{"$and":[', ']}'],
    ['[{"id":', '}]'],
  ] as const);
  const tree = open.repeat(depth) + (open === '[' ? '' : '0') + close.repeat(depth);
  return `[${repeatedTo(bytes, `${tree},`)}${tree}]`;
};
export const costlyFilter: Shape = (bytes, random) => {
  const conditions = random.of([1, 8, 60]);
  const one = () =>
    `{"${random.of(['a', 'a.b', 'analysis', 'id', 'x.0.y'])}":{"${random.of(OPERATORS)}":${random.of([text, list, object])(bytes / conditions, random)}}}`;
  return `{"${random.of(['$and', '$or'])}":[${Array.from({ length: conditions }, one)}]}`;
};

/** A value that is as expensive to look at as its size allows. */
export const costlyValue: Shape = (bytes, random) =>
  random.of([text, text, list, list, object, object, digits, nested, costlyFilter])(bytes, random);

/** A text for a header or a query, of about this many characters. */
export const costlyText = (length: number, random: Random): string =>
  random.of(['', 'x', 'gzip', 'Bearer ', '"', 'W/"', 'bytes=', 'a=', '2026-']) +
  repeatedTo(
    length,
    random.of([' ', '\t', ';', ', ', '; ', ' ;', '=', '"a", ', ':', '.', '0', 'a', '/', '*;q=0.1, ']),
  ) +
  random.of(['', 'x']);
