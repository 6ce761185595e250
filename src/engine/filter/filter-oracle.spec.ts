import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileFilter } from './compile-filter.js';
import { RecordJudge } from './judge.js';

const RUNS = 10_000;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Plain = Record<string, Json>;

const name = fc.constantFrom('a', 'b', 'c');
const scalar: fc.Arbitrary<Json> = fc.constantFrom(0, 1, 2, 1.5, 'x', 'xy', 'yx', '', true, false, null);
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { weight: 4, arbitrary: scalar },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }) },
  ),
}));
/** Mostly what can be found. */
const operand = fc.oneof({ weight: 3, arbitrary: scalar }, value);
const record = fc.dictionary(name, value, { minKeys: 2, maxKeys: 3, noNullPrototype: true });

const path = fc
  .array(fc.oneof({ weight: 5, arbitrary: name }, fc.constantFrom('0', '1')), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('.'));
const comparable = fc.constantFrom<Json>(0, 1, 2, 1.5, 'x', 'xy', '');
const comparison: fc.Arbitrary<Plain> = fc
  .oneof(
    fc.tuple(fc.constantFrom('$eq', '$ne'), operand),
    fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), comparable),
    fc.tuple(fc.constantFrom('$in', '$nin'), fc.array(operand, { maxLength: 6 })),
    fc.tuple(fc.constant('$exists'), fc.boolean()),
    fc.tuple(fc.constantFrom('$startsWith', '$endsWith'), fc.constantFrom('x', 'y', 'xy')),
  )
  .map(([operator, operand]) => ({ [operator]: operand as Json }));

const { filter } = fc.letrec<{ filter: Plain; conditions: Plain }>((tie) => ({
  conditions: fc.oneof(
    { weight: 4, arbitrary: comparison },
    { weight: 1, arbitrary: fc.tuple(comparison, comparison).map(([one, other]) => ({ ...one, ...other })) },
    { weight: 1, arbitrary: comparison.map((inner) => ({ $not: inner })) },
    { weight: 1, arbitrary: tie('filter').map((inner) => ({ $elemMatch: inner })) },
    { weight: 1, arbitrary: comparison.map((inner) => ({ $elemMatch: inner })) },
  ),
  filter: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'filter' },
    {
      weight: 4,
      arbitrary: fc.tuple(path, tie('conditions')).map(([at, conditions]) => ({ [at]: conditions })),
    },
    { weight: 2, arbitrary: fc.tuple(path, operand).map(([at, one]) => ({ [at]: one })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('$and', '$or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
        .map(([operator, parts]) => ({ [operator]: parts as Json[] })),
    },
    { weight: 1, arbitrary: tie('filter').map((inner) => ({ $not: inner })) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('filter'), tie('filter')).map(([one, other]) => ({ ...one, ...other })),
    },
  ),
}));

// The oracle follows the documentation word for word, with lists of values in place of functions.

const isObject = (one: Json): one is Plain => typeof one === 'object' && one !== null && !Array.isArray(one);

/** Everything that a path leads to; undefined where it leads nowhere. */
function valuesAt(data: Json, names: string[]): (Json | undefined)[] {
  const [first, ...rest] = names;
  if (first === undefined) return [data];
  if (Array.isArray(data)) {
    const element = /^\d+$/.test(first) ? data[Number(first)] : undefined;
    const found = element === undefined ? [] : valuesAt(element, rest);
    for (const one of data) if (isObject(one)) found.push(...valuesAt(one, names));
    return found.length > 0 ? found : [undefined];
  }
  const inner = isObject(data) ? Object.entries(data).find(([key]) => key === first) : undefined;
  return inner ? valuesAt(inner[1], rest) : [undefined];
}

const withElements = (values: (Json | undefined)[]) =>
  values.flatMap((one) => (Array.isArray(one) ? [one, ...one] : [one]));

function meets(values: (Json | undefined)[], operator: string, operand: Json): boolean {
  const any = (test: (one: Json | undefined) => boolean) => withElements(values).some(test);
  const alike = (test: (one: number, other: number) => boolean) =>
    any(
      (one) =>
        ['number', 'string'].includes(typeof one) &&
        typeof one === typeof operand &&
        test(one as number, operand as number),
    );
  const equals = (wanted: Json) => any((one) => isDeepStrictEqual(one ?? null, wanted));
  switch (operator) {
    case '$eq':
      return equals(operand);
    case '$ne':
      return !equals(operand);
    case '$in':
      return (operand as Json[]).some(equals);
    case '$nin':
      return !(operand as Json[]).some(equals);
    case '$gt':
      return alike((one, other) => one > other);
    case '$gte':
      return alike((one, other) => one >= other);
    case '$lt':
      return alike((one, other) => one < other);
    case '$lte':
      return alike((one, other) => one <= other);
    case '$exists':
      return values.some((one) => one !== undefined) === operand;
    case '$startsWith':
      return any((one) => typeof one === 'string' && one.startsWith(String(operand)));
    case '$endsWith':
      return any((one) => typeof one === 'string' && one.endsWith(String(operand)));
    case '$not':
      return !meetsAll(values, operand as Plain);
    case '$elemMatch':
      return values.some(
        (one) =>
          Array.isArray(one) &&
          one.some((element) =>
            isComparison(operand)
              ? meetsAll([element], operand as Plain)
              : matches(operand as Plain, element),
          ),
      );
    default:
      throw new Error(operator);
  }
}

const meetsAll = (values: (Json | undefined)[], operators: Plain) =>
  Object.entries(operators).every(([operator, operand]) => meets(values, operator, operand));

function matches(given: Plain, data: Json): boolean {
  return Object.entries(given).every(([key, operand]) => {
    if (key === '$and') return (operand as Plain[]).every((part) => matches(part, data));
    if (key === '$or') return (operand as Plain[]).some((part) => matches(part, data));
    if (key === '$not') return !matches(operand as Plain, data);
    const values = valuesAt(data, key.split('.'));
    return isComparison(operand) ? meetsAll(values, operand as Plain) : meets(values, '$eq', operand);
  });
}

/** Whether an object holds operators that compare. */
const isComparison = (operand: Json): boolean =>
  isObject(operand) &&
  Object.keys(operand).length > 0 &&
  Object.entries(operand).every(([key, inner]) =>
    key === '$not' ? isComparison(inner) : key.startsWith('$') && key !== '$and' && key !== '$or',
  );

describe('a filter', () => {
  it('decides as its documentation says', () => {
    fc.assert(
      fc.property(filter, record, (given, data) => {
        const compiled = compileFilter(given);
        // Some are nested too deep.
        fc.pre(compiled.ok);
        const decision = new RecordJudge(data).unmatched(compiled.filter) === null;
        expect(decision).toBe(matches(given, data));
      }),
      { numRuns: RUNS },
    );
  });
});
