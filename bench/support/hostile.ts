/** The most bytes of a record. */
export const MEGABYTE = 1024 * 1024;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const LONG_NUMBER = '12345678901234567890';
/** Stands in a text where `JSON.stringify` would round a number. */
const raw = (source: string) => (JSON as unknown as { rawJSON(source: string): Json }).rawJSON(source);

const repeat = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** Records of nearly a megabyte, each expensive to look through in its own way. All fields are `a`, `b` or numbers. */
export const RECORDS: Record<string, () => Json> = {
  scalars: () => ({ a: repeat(400_000, (i) => i % 10), b: 1 }),
  strings: () => ({ a: repeat(60, () => 'x'.repeat(16_000)), b: 'x'.repeat(16_000) }),
  objects: () => ({ a: repeat(60_000, (i) => ({ a: i % 10, b: 1 })) }),
  nested: () => ({
    a: repeat(40, () => ({ a: repeat(40, () => ({ a: repeat(35, () => ({ a: [1], b: 1 })) })) })),
  }),
  names: () => ({ a: Object.fromEntries(repeat(60_000, (i) => [`n${i}`, i])), b: 1 }),
  'many-names': () => ({ a: repeat(600, () => Object.fromEntries(repeat(100, (i) => [`n${i}`, i]))), b: 1 }),
  numbers: () => ({ a: repeat(47_000, () => raw(LONG_NUMBER)), b: raw(LONG_NUMBER) }),
  digits: () => ({ a: raw(`1${'0'.repeat(999_000)}1`), b: raw(`0.${'0'.repeat(1000)}1`) }),
  exponents: () => ({ a: repeat(130_000, () => raw('1e300')), b: raw('1e300') }),
  'many-exponents': () => ({ a: repeat(70_000, (i) => raw(`1.${10_000 + i}e999`)), b: raw('1e999') }),
  arrays: () => ({ a: repeat(300_000, () => []), b: [] }),
  'long-arrays': () => ({ a: repeat(60, () => repeat(8000, () => 0)), b: 1 }),
  'long-objects': () => ({
    a: repeat(60, () => Object.fromEntries(repeat(1700, (i) => [`n${i}`, 0]))),
    b: 1,
  }),
};

/** mulberry32: the same filters on every machine. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PATHS = ['a', 'b', 'a.a', 'a.a.a', 'a.a.a.a', 'a.b', 'a.0', 'a.a.0.a', 'a.n5'];
/** What hardly ever holds, so that everything is looked at. */
const OPERANDS: Json[] = [
  1,
  -1,
  'x',
  'x'.repeat(200),
  null,
  {},
  [],
  { a: 1 },
  { a: { a: 1 } },
  [1, 2],
  1e300,
  -1e300,
];

/** Operands that take up most of a filter's bytes: one of them makes a filter. */
const LARGE: ((next: () => number) => Json)[] = [
  () => repeat(8000, () => 0),
  () => repeat(8000, (i) => (i < 7999 ? 0 : 1)),
  () => Object.fromEntries(repeat(1500, (i) => [`n${i}`, i < 1499 ? 0 : 1])),
  () => Object.fromEntries(repeat(1200, (i) => [`n${i}`, i])),
  () => ({ $in: repeat(8000, (i) => i % 10) }),
  () => ({ $in: repeat(1700, (i) => i + 1e6) }),
  () => ({ $in: repeat(700, (i) => raw(`${LONG_NUMBER.slice(0, 16)}${1000 + i}`)) }),
  () => ({ $in: repeat(15, (i) => raw(`1${'0'.repeat(980 + i)}`)) }),
  () => ({ $in: repeat(1900, (i) => `n${i}`) }),
  () => ({ $in: repeat(15, (i) => 'x'.repeat(1000 + i)) }),
  () => ({ $nin: repeat(5000, () => []) }),
  () => ({ $in: repeat(3000, () => [0]) }),
  () => ({ $in: repeat(5000, () => ({})) }),
  () => ({ $in: repeat(1900, () => ({ a: 0 })) }),
  (next) => ({ $gt: 'x'.repeat(Math.floor(next() * 15_000)) }),
  () => ({ $elemMatch: { $in: repeat(3000, () => [0]) } }),
];

/** A filter near the limits of conditions, depth and bytes, which rarely matches. */
export function randomFilter(seed: number): Json {
  const next = random(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T;
  const comparison = (): Json => {
    const [operator, operand] = pick<() => [string, Json]>([
      () => ['$eq', pick(OPERANDS)],
      () => ['$in', repeat(Math.floor(next() * 40), () => pick(OPERANDS))],
      () => ['$gt', pick([1e308, 'y', 11])],
      () => ['$lt', pick([-1e308, '', -1])],
      () => ['$startsWith', `${'x'.repeat(200)}y`],
      () => ['$endsWith', `y${'x'.repeat(200)}`],
      () => ['$elemMatch', { $gt: 1e308 }],
      () => ['$elemMatch', { a: { $elemMatch: { b: 2 } } }],
    ])();
    return { [operator]: operand };
  };
  const part = (): Json => {
    const at = pick(PATHS);
    return next() < 0.1 ? { [at]: { $not: comparison() } } : { [at]: comparison() };
  };
  if (next() < 0.3) return { [pick(PATHS)]: pick(LARGE)(next) };
  // Of each part of `$or` the next one is looked at if it does not match; 20 parts have at most 60 conditions or so.
  return { $or: repeat(15, part) };
}
