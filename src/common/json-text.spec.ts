import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { elements, jsonDepth, members, parseExact } from './json-text.js';

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

describe('jsonDepth', () => {
  it.each([
    ['1', 0],
    ['"[[["', 0],
    ['[]', 1],
    ['{"a\\"[":[{}],"b":[]}', 3],
    ['[[],[[]],{}]', 3],
  ])('measures %s', (text, depth) => {
    expect(jsonDepth(text)).toBe(depth);
  });

  it('stops as soon as the limit is passed', () => {
    const text = '['.repeat(1_000_000);
    expect(jsonDepth(text, 64)).toBe(65);
    expect(jsonDepth(text)).toBe(1_000_000);
  });

  it('survives strings that never end and brackets that do not match', () => {
    expect(jsonDepth('[["[[')).toBe(2);
    expect(jsonDepth(']]}}[')).toBe(0);
    expect(jsonDepth(`["${'\\'.repeat(1_000_000)}`)).toBe(1);
  });

  it('agrees with a recursive measure of the parsed value', () => {
    const measure = (value: unknown): number =>
      typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(measure));
    fc.assert(fc.property(plainJson, (text) => expect(jsonDepth(text)).toBe(measure(JSON.parse(text)))));
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
    const names = elements(text).map(({ start }) => members(text, start)[1]?.key);
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
    const slices = elements(text).map(({ start, end }) => text.slice(start, end));
    expect(slices).toEqual(['1e999', '[2,[3]]', '"a,]"', '{"b":[]}', 'true']);
    expect(elements('[ ]')).toEqual([]);
  });

  it('reads any array as JSON.parse does', () => {
    const arrays = source.filter((text) => text.startsWith('['));
    fc.assert(
      fc.property(arrays, (text) => {
        const values = elements(text).map(({ start, end }) => JSON.parse(text.slice(start, end)));
        expect(JSON.stringify(values)).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });
});

describe('parseExact', () => {
  it.each([
    '12345678901234567890',
    '-9007199254740993',
    '1e999',
    '-1E+999',
    '1e-400',
    '0.1000000000000000055511151231257827',
    '-0',
    '-0.0',
    '-0e5',
    '1234567890123456.7',
    '123456789012345678901234567890.5',
  ])('keeps %s, whatever stands around it', (number) => {
    for (const text of [number, `[${number}]`, `{"a":${number},"b":[1,${number}]}`]) {
      expect(JSON.stringify(parseExact(text))).toBe(text);
    }
    expect(JSON.stringify(parseExact(`[ ${number} , 2]`))).toBe(`[${number},2]`);
  });

  it.each([
    '0',
    '1',
    '1.0',
    '0.1',
    '1e5',
    '1E-7',
    '123456789012345.5',
    '9007199254740992',
    '1e21',
    '0.00e9',
    '1e23',
  ])('reads %s as a plain number', (number) => {
    expect(parseExact(number)).toBe(Number(number));
    expect(parseExact(`{"a":${number},"big":1e999}`)).toHaveProperty('a', Number(number));
  });

  it('makes __proto__ an own property', () => {
    for (const text of ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1e999}}']) {
      const value = parseExact(text) as object;
      expect(Object.getPrototypeOf(value)).toBe(Object.getPrototypeOf({}));
      expect(JSON.stringify(value)).toBe(text);
    }
  });

  it('takes the last of repeated names', () => {
    expect(JSON.stringify(parseExact('{"a":1e999,"a":2}'))).toBe('{"a":2}');
    expect(JSON.stringify(parseExact('{"a":2,"a":1e999}'))).toBe('{"a":1e999}');
  });

  it('leaves strings that look like numbers alone', () => {
    const text = '{"card":"4111111111111111","code":"1e5 ","huge":"1e999"}';
    expect(parseExact(text)).toEqual(JSON.parse(text));
  });

  it('throws on what is not JSON', () => {
    for (const text of ['', '01', '[1e999', '{"a":12345678901234567890,}'])
      expect(() => parseExact(text)).toThrow();
  });

  it('takes linear time on long numbers', () => {
    const zeros = '0'.repeat(300_000);
    expect(JSON.stringify(parseExact(`[1${zeros}1]`))).toBe(`[1${zeros}1]`);
  });

  it('equals JSON.parse where every number survives', () => {
    fc.assert(fc.property(plainJson, (text) => expect(parseExact(text)).toEqual(JSON.parse(text))));
  });

  it('changes the value of no number', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(digits, (number) => {
        expect(sameDecimal(JSON.stringify(parseExact(number)), number)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Compares by exact arithmetic: both as integers times the same power of ten. */
function sameDecimal(one: string, other: string): boolean {
  const scale = 1200;
  const integer = (number: string) => {
    const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    return BigInt(whole + fraction) * 10n ** BigInt(scale + Number(exponent) - fraction.length);
  };
  return integer(one) === integer(other);
}
