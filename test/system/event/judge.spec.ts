import { describe, expect, it } from '@jest/globals';
import { compileFilter } from '../../../src/engine/filter/compile-filter.js';
import { RecordJudge } from '../../../src/engine/filter/judge.js';
import { parseExactly, parseMarked } from '../../../src/platform/json/exact-json.js';
import { leastCpuMs } from '../support/computing.js';

function compiled(filter: object) {
  const compilation = compileFilter(filter);
  if (!compilation.ok) throw new Error(JSON.stringify(compilation.problems));
  return compilation.filter;
}
const array = (length: number, element: unknown) => Array.from({ length }, () => element);

/** What one decision may compute: tens of milliseconds. Without bounds it would be seconds. */
const COMPUTED_MS = 300;

describe('a judge of records', () => {
  const many = (count: number, of: (index: number) => unknown) =>
    Array.from({ length: count }, (_, i) => of(i));
  const names = (count: number) =>
    Object.fromEntries(many(count, (index) => [`${index}`, 0]) as [string, 0][]);
  it.each([
    ['arrays with a long array', many(15_000, () => []), many(8000, () => 0)],
    ['arrays with a long one that begins alike', many(130, () => array(8000, 0)), [...array(7999, 0), 1]],
    ['objects with one of many names', many(15_000, () => ({ 0: 0 })), names(1400)],
    ['objects of many names with such a one', many(60, () => names(1400)), { ...names(1399), x: 1 }],
    ['anything with thousands of texts', many(15_000, (n) => `x${n}`), { $in: many(1600, (n) => `y${n}`) }],
    ['anything with thousands of numbers', many(15_000, (n) => n + 0.5), { $in: many(2000, (n) => n) }],
    ['anything with thousands of objects', many(15_000, () => ({ a: 1 })), { $in: many(5000, () => ({})) }],
    ['anything with thousands of arrays', many(15_000, () => [[]]), { $nin: many(2500, () => [[1]]) }],
  ])('compares within its time: %s', async (_, elements, operand) => {
    const filter = compiled({ a: operand });
    const judge = new RecordJudge({ a: elements });
    const compare = () => {
      for (let n = 0; n < 5; n++) judge.unmatched(filter);
    };
    expect(await leastCpuMs(compare, COMPUTED_MS)).toBeLessThan(COMPUTED_MS);
  });
});

describe('long numbers', () => {
  it('of short exponents do not compute as long as if they were written out', async () => {
    const text = (count: number) => `{"a":[${array(count, '1e999').join()}]}`;
    expect(parseExactly(text(100))).toBeDefined();
    expect(parseExactly(text(101))).toBeUndefined();
    const hostile = text(20_000);
    const read = () => {
      expect(parseExactly(hostile)).toBeUndefined();
      const record = parseMarked(hostile);
      for (let n = 0; n < 5; n++) new RecordJudge(record).unmatched(compiled({ a: { $gt: 10n ** 999n } }));
      expect(compileFilter({ a: array(20_000, 10n ** 20n) }).ok).toBe(false);
    };
    expect(await leastCpuMs(read, COMPUTED_MS)).toBeLessThan(COMPUTED_MS);
  });
});
