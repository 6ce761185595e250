import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { elements, isDeeperThan, members } from './json-text.js';

/**
 * V8 13.6 can misread an escaped name of an object after another name with a backslash in it: `{"b":1,"\\\\":1}`
 * makes it read `{"b":1,"\\u0061":1}` as having a name `\\`. Where JSON.parse is the judge, no name has one.
 */
const withoutBackslash = (text: string) => !text.includes('\\\\');
const plainJson = fc.json().filter(withoutBackslash);

/** JSON source with white space, escapes, odd numbers and repeated names, which fc.json() never makes. */
const { source } = fc.letrec<{ source: string; object: string; array: string }>((tie) => {
  const space = fc.constantFrom('', '', ' ', '\n', '\t\r ');
  const number = fc.constantFrom('0', '-0', '1.0', '1E2', '-7', '1e999', '12345678901234567890', '0.1');
  const string = fc.oneof(
    fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value)),
    oddStrings(),
  );
  const scalar = fc.oneof(number, string, fc.constantFrom('true', 'false', 'null'));
  const padded = fc.tuple(space, tie('source'), space).map((parts) => parts.join(''));
  const member = fc
    .tuple(
      fc.oneof(string.filter(withoutBackslash), fc.constantFrom('"a"', '"1"', '"__proto__"')),
      space,
      padded,
    )
    .map(([key, gap, value]) => `${gap}${key}${gap}:${value}`);
  return {
    source: fc.oneof({ maxDepth: 4, depthSize: 'small' }, scalar, tie('object'), tie('array')),
    object: fc.array(member, { maxLength: 5 }).map((parts) => `{${parts.join(',')}}`),
    array: fc.array(padded, { maxLength: 5 }).map((parts) => `[${parts.join(',')}]`),
  };
});

function oddStrings() {
  return fc.constantFrom('"\\""', '"\\\\"', '"\\\\\\""', '"\\u0061"', '"\\ud800"', '"{[,]}:"', '"1e5"', '""');
}

describe('isDeeperThan', () => {
  const expectDepth = (text: string, depth: number) => {
    expect(isDeeperThan(text, depth)).toBe(false);
    if (depth > 0) expect(isDeeperThan(text, depth - 1)).toBe(true);
  };

  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['[]', 1],
    ['{"a\\"[":[{}],"b":[]}', 3],
    ['[[],[[]],{}]', 3],
  ])('measures %s', expectDepth);

  it('survives a million levels', () => {
    const text = '['.repeat(1_000_000);
    expect(isDeeperThan(text, 64)).toBe(true);
    expectDepth(text, 1_000_000);
  });

  it('survives strings that never end and brackets that do not match', () => {
    expectDepth('[["[[', 2);
    expectDepth(']]}}[', 0);
    expectDepth(`["${'\\'.repeat(1_000_000)}[[[`, 1);
  });

  it('agrees with a recursive measure of the parsed value', () => {
    const measure = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(measure));
    fc.assert(fc.property(plainJson, (text) => expectDepth(text, measure(JSON.parse(text)))));
  });
});

describe('members', () => {
  it('finds names and values in source order, repeated names included', () => {
    const text = ' { "b" : 1.0 ,"1":[ {"x":"}"} ], "\\u0062":"\\\\","__proto__":null}';
    const found = members(text);
    expect(found.map(({ key }) => key)).toEqual(['b', '1', 'b', '__proto__']);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([
      '1.0',
      '[ {"x":"}"} ]',
      '"\\\\"',
      'null',
    ]);
    expect(found.map(({ keyStart, keyEnd }) => text.slice(keyStart, keyEnd))[2]).toBe('"\\u0062"');
  });

  it('decodes every name by itself, whatever names came before', () => {
    const text = '[{"b":1,"\\\\":1},{"b":1,"\\u0061":1},{"b":1,"\\"":1}]';
    const names = [...elements(text)].map(({ start }) => members(text, start)[1]?.key);
    expect(names).toEqual(['\\', 'a', '"']);
  });

  it('finds none in an empty object, and starts where it is told', () => {
    expect(members('{ }')).toEqual([]);
    expect(members('[{"a":1},{"b":2}]', 9).map(({ key }) => key)).toEqual(['b']);
  });

  it('reads any object as JSON.parse does', () => {
    const objects = source.filter((text) => text.startsWith('{'));
    fc.assert(
      fc.property(objects, (text) => {
        const entries = members(text).map(({ key, start, end }) => [key, JSON.parse(text.slice(start, end))]);
        expect(JSON.stringify(Object.fromEntries(entries))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

describe('elements', () => {
  it('finds the source of each element', () => {
    const text = '[ 1e999 ,[2,[3]], "a,]" , {"b":[]},true]';
    const slices = [...elements(text)].map(({ start, end }) => text.slice(start, end));
    expect(slices).toEqual(['1e999', '[2,[3]]', '"a,]"', '{"b":[]}', 'true']);
    expect([...elements('[ ]')]).toEqual([]);
  });

  it('reads any array as JSON.parse does', () => {
    const arrays = source.filter((text) => text.startsWith('['));
    fc.assert(
      fc.property(arrays, (text) => {
        const values = [...elements(text)].map(({ start, end }) => JSON.parse(text.slice(start, end)));
        expect(JSON.stringify(values)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});
