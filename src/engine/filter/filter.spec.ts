import { describe, expect, it } from '@jest/globals';
import { testOf } from '../../event/filter-test.js';
import { parseExactly, parseMarked } from '../../platform/json/exact-json.js';
import { compileFilter, compileStored, type FilterProblem } from './compile-filter.js';
import type { Filter } from './filter.js';
import { RecordJudge } from './judge.js';

function matches(filter: string, record: string): boolean {
  const compiled = compileFilter(parseExactly(filter));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return new RecordJudge(parseMarked(record)).unmatched(compiled.filter) === null;
}
const reason = (filter: object, record: object) => testOf(filter as Filter, record).reason;
const problems = (filter: unknown): FilterProblem[] => {
  const compiled = compileFilter(filter);
  return compiled.ok ? [] : compiled.problems;
};
const paths = (filter: unknown) => problems(filter).map(({ path }) => path.join(' '));

describe('a filter', () => {
  // All else that it decides is told by its oracle.
  it.each([
    // Names that every object has.
    ['{"__proto__.x":null}', '{}', true],
    ['{"constructor":{"$exists":true}}', '{}', false],
    ['{"length":{"$exists":true}}', '{"length":1}', true],
    // Among many.
    ['{"a":{"$in":["b","a","","c","aa"]}}', '{"a":"aa"}', true],
    ['{"a":{"$in":["b","a","","c","aa"]}}', '{"a":["ab","d","bb"]}', false],
    // Whole numbers beyond 2^53.
    ['{"a":{"$in":[5,-1,1e23,0.5,9007199254740993]}}', '{"a":100000000000000000000000}', true],
    ['{"a":{"$in":[5,-1,1e23,0.5,9007199254740993]}}', '{"a":[9007199254740992,"5",0.25,1e22]}', false],
    ['{"a":12345678901234567890}', '{"a":12345678901234567890}', true],
    ['{"a":12345678901234567890}', '{"a":12345678901234567891}', false],
    ['{"a":{"$gt":12345678901234567890}}', '{"a":12345678901234567891}', true],
    ['{"a":{"$in":[9007199254740993]}}', '{"a":9007199254740992}', false],
    ['{"a":100000000000000000000000}', '{"a":1e23}', true],
    ['{"a":{"$lt":1e23}}', '{"a":99999999999999999999999}', true],
    ['{"a":"12345678901234567890"}', '{"a":12345678901234567890}', false],
    ['{"a":{"b":12345678901234567890}}', '{"a":{"b":12345678901234567890}}', true],
    ['{"a":{"$gt":1}}', `{"a":1${'0'.repeat(2000)}}`, true],
    ['{"a":{"$lt":1}}', '{"a":-1e4000}', true],
  ])('%s judges %s', (filter, record, expected) => {
    expect(matches(filter, record)).toBe(expected);
  });

  it('sees `analyses` as `analysis`, as webhooks do', () => {
    const record = { id: 'r', analyses: [{ id: 'a', status: 'VALID' }] };
    expect(testOf({ 'analysis.status': 'VALID' }, record)).toEqual({ matches: true, reason: null });
  });

  it('names the first part that does not match', () => {
    expect(reason({ a: 1, 'b/c': { $gt: 1, $lt: 3 } }, { a: 1, 'b/c': 4 })).toBe('/b~1c/$lt does not match');
    expect(reason({ $or: [{ a: 1 }, { b: 1 }] }, {})).toBe('/$or does not match');
    expect(reason({ $and: [{ a: null }, { b: 1 }] }, {})).toBe('/$and/1/b does not match');
    expect(reason({ a: 1 }, { a: 1 })).toBeNull();
  });

  it('is refused with every wrong part', () => {
    expect(paths([])).toEqual(['']);
    expect(paths('a')).toEqual(['']);
    expect(
      paths({
        $regex: 'x',
        $gt: 1,
        a: { $regex: 'x', $gt: true, $exists: 1, $in: 1, b: 2 },
        $and: [],
        $or: [{ $not: 1 }, 2],
        'b..c': 1,
        'b.$gt': 1,
        c: { $elemMatch: 1, $startsWith: 2, $not: { b: 1 } },
      }),
    ).toEqual([
      '$regex',
      '$gt',
      'a $regex',
      'a $gt',
      'a $exists',
      'a $in',
      'a b',
      '$and',
      '$or 0 $not',
      '$or 1',
      'b..c',
      'b.$gt',
      'c $elemMatch',
      'c $startsWith',
      'c $not',
    ]);
    expect(paths({ a: undefined, b: new Date(), c: Number.NaN, d: [() => 1] })).toEqual([
      'a',
      'b',
      'c',
      'd 0',
    ]);
  });

  it('is refused with operators in what is compared, where they would never match', () => {
    expect(
      paths({
        a: { $in: [1, { $regex: 'x' }] },
        b: { $nin: [{ $gt: 1, $lt: 2 }] },
        c: { $eq: { $gt: 1 } },
        d: { $ne: { e: [{ $exists: true }] } },
        f: { g: { $gt: 1 } },
        h: [{ $in: [] }],
        i: { $elemMatch: { $in: [[{ $x: 1 }]] }, $not: { $eq: { $x: 1 } } },
        j: { $in: ['$gt', ['$in']], $ne: '$ne' },
      }),
    ).toEqual([
      'a $in 1 $regex',
      'b $nin 0 $gt',
      'b $nin 0 $lt',
      'c $eq $gt',
      'd $ne e 0 $exists',
      'f g $gt',
      'h 0 $in',
      'i $elemMatch $in 0 0 $x',
      'i $not $eq $x',
    ]);
  });

  it('that was stored with operators in what is compared decides as it did', () => {
    const stored = compileStored({ a: { $nin: [{ $regex: 'x' }] }, b: { c: { $gt: 1 } } });
    if (!stored.ok) throw new Error('does not compile');
    const decide = (record: object) => new RecordJudge(record).unmatched(stored.filter);
    expect(decide({ a: 'x', b: { c: { $gt: 1 } } })).toBeNull();
    expect(decide({ a: 'x', b: { c: 2 } })).toBe('/b');
  });

  it('has bounds, which it may reach', () => {
    const nested = (depth: number): object => (depth === 1 ? { a: 1 } : { $not: nested(depth - 1) });
    expect(paths(nested(8))).toEqual([]);
    expect(paths(nested(9))).toEqual(['']);
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, i]));
    expect(paths(fields(64))).toEqual([]);
    expect(paths(fields(65))).toEqual(['']);
    expect(paths({ $and: [fields(63)] })).toEqual([]);
    expect(paths({ $and: [fields(64)] })).toEqual(['']);
    expect(paths({ a: 'x'.repeat(16_000) })).toEqual([]);
    expect(paths({ a: 'é'.repeat(8_200) })).toEqual(['']);
    expect(paths({ a: 10n ** 999n })).toEqual([]);
    expect(paths({ a: 10n ** 1000n })).toEqual(['a']);
    const circular: Record<string, unknown> = {};
    circular.a = circular;
    expect(paths(circular)).toEqual(['']);
  });
});
