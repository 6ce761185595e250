import { describe, expect, it } from '@jest/globals';
import { parseExactly, parseMarked } from '../../platform/json/exact-json.js';
import { compileFilter } from './compile-filter.js';
import { RecordJudge } from './judge.js';

const OF_A_FILTER = 40_000;
const OF_A_RECORD = 200_000;

function compiled(filter: object) {
  const compilation = compileFilter(filter);
  if (!compilation.ok) throw new Error(JSON.stringify(compilation.problems));
  return compilation.filter;
}
const array = (length: number, element: unknown) => Array.from({ length }, () => element);

/** An array that counts how often one of its elements is read. */
function counted(length: number) {
  const counts = { reads: 0 };
  const elements = new Proxy(array(length, 1), {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d/.test(name)) counts.reads++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { elements, counts };
}

describe('a judge of records', () => {
  it.each([
    ['comparisons', { $or: array(15, { a: { $in: array(40, null) } }) }],
    ['prefixes', { $or: array(60, { a: { $startsWith: 'x' } }) }],
    ['elements', { a: { $elemMatch: { a: { $elemMatch: { a: 1 } } } } }],
    ['paths', { $or: array(60, { 'a.a.a.a': 2 }) }],
    ['negations', { a: { $not: { $gt: 0 } }, b: { $not: { $exists: true } } }],
  ])('looks at a bounded number of values: %s', (_name, filter) => {
    const { elements, counts } = counted(1_000_000);
    new RecordJudge({ a: elements }).unmatched(compiled(filter));
    expect(counts.reads).toBeLessThanOrEqual(OF_A_FILTER + 100);
  });

  it('judges what it can look through, and lets through what is too large', () => {
    const is2 = compiled({ a: 2 });
    expect(new RecordJudge({ a: array(15_000, 1) }).unmatched(is2)).toBe('/a');
    expect(new RecordJudge({ a: [...array(15_000, 1), 2] }).unmatched(is2)).toBeNull();
    expect(new RecordJudge({ a: array(30_000, 1) }).unmatched(is2)).toBeNull();
    expect(new RecordJudge({ a: array(30_000, 1) }).unmatched(compiled({ a: { $ne: 1 } }))).toBe('/a/$ne');
  });

  it('bounds all the filters of a record together', () => {
    const { elements, counts } = counted(1_000_000);
    const judge = new RecordJudge({ a: elements });
    for (let filter = 0; filter < 100; filter++)
      expect(judge.unmatched(compiled({ a: filter + 2 }))).toBeNull();
    // An element is examined, and then compared.
    expect(counts.reads).toBeGreaterThan((OF_A_RECORD - OF_A_FILTER) / 2);
    expect(counts.reads).toBeLessThanOrEqual(OF_A_RECORD / 2 + 100);
  });

  it('reads each long number once, however many filters look at it', () => {
    const number = '12345678901234567890';
    const judge = new RecordJudge(parseMarked(`{"a":[${array(2000, number).join()},7]}`));
    for (let filter = 0; filter < 20; filter++) {
      expect(judge.unmatched(compiled({ a: { $gt: 10n ** 20n + BigInt(filter) } }))).toBe('/a/$gt');
      expect(judge.unmatched(compiled({ a: BigInt(number) }))).toBeNull();
    }
  });

  it('counts the fields of a large object as values', () => {
    const large = Object.fromEntries(array(60_000, null).map((_, index) => [`n${index}`, index]));
    expect(new RecordJudge({ a: large }).unmatched(compiled({ a: { n1: 2 } }))).toBe('/a');
    expect(new RecordJudge({ a: large }).unmatched(compiled({ a: { n1: 1 } }))).toBeNull();
  });
});

describe('long numbers', () => {
  const isEqual = (record: string, filter: string) =>
    new RecordJudge(parseMarked(record)).unmatched(compiled(parseExactly(filter) as object)) === null;

  it('of thousands of digits are read rounded', () => {
    const digits = `1${'0'.repeat(5000)}1`;
    expect(isEqual(`{"a":${digits}}`, '{"a":{"$gt":1e308}}')).toBe(true);
    expect(isEqual(`{"a":-${digits}}`, '{"a":{"$lt":-1e308}}')).toBe(true);
    expect(isEqual(`{"a":1.${'0'.repeat(5000)}}`, '{"a":1}')).toBe(true);
  });

  it('are exact up to 20,000 of them, and rounded from there', () => {
    const text = (count: number) => `{"a":[${array(count, '9007199254740993').join()}],"b":9007199254740993}`;
    expect(isEqual(text(19_000), '{"b":9007199254740993}')).toBe(true);
    expect(isEqual(text(19_000), '{"b":9007199254740992}')).toBe(false);
    expect(isEqual(text(21_000), '{"b":9007199254740992}')).toBe(true);
    expect(parseExactly(text(20_000))).toBeUndefined();
    expect(parseExactly(text(19_999))).toBeDefined();
  });
});
