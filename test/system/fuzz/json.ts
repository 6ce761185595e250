import fc from 'fast-check';
import type { Schema } from '../../support/operations.js';
import { knownSources, oddSources } from './known.js';

/** JSON source text, because no parsed value can represent duplicate keys, long numbers or lone surrogates. */
export type Source = fc.Arbitrary<string>;

/** Valid values per invalid one. */
const VALID_TO_ODD = 14;

const ODD_NUMBERS = ['1e999', '-1e999', '-12345678901234567890', '9007199254740993', '-0', '1.5', '1e-400'];
const ODD_STRINGS = [
  '""',
  '" "',
  '"true"',
  '"********"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"a\\u0000b"',
  '"\\u007f\\u0085\\u2028"',
  '"\\r\\nX-Injected: 1"',
  '"e\u0301\u0301\u0301"',
  '"\ufeff"',
  '"\' OR 1=1 --"',
  '"\\"; DROP TABLE webhook; --"',
  ...[129, 1025, 2049, 9000, 70_000].map((length) => JSON.stringify('a'.repeat(length))),
  JSON.stringify('🦄'.repeat(2000)),
];
const ODD_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'then',
  '',
  'id',
  'user_id',
  ' name',
  'a/b~c',
  '\u0000',
  '🦄',
  'k'.repeat(5000),
];
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
const ODD_VALUES = [
  'null',
  'true',
  '[]',
  '{}',
  '{"$gt":""}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"toString":1,"valueOf":2,"then":3,"toJSON":4}',
  '{"a":1,"a":2,"\\u0061":3}',
  `[${'0,'.repeat(3000)}0]`,
  nested(64, '[', ']'),
  nested(70, '{"a":', '}').replace(':}', ':1}'),
  nested(20_000, '[', ']'),
];

export const oddSource: Source = fc.oneof(
  fc.constantFrom(...ODD_NUMBERS),
  fc.constantFrom(...ODD_STRINGS),
  fc.constantFrom(...ODD_VALUES),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
);

/** Generates mostly valid values, and a few that are odd. @param path of the operation. */
export function sourceOf(schema: Schema, path: string, name = '', odd: Source = oddSource): Source {
  const usual = mostly(validSource(schema, path, name, odd), odd);
  const own = oddSources(name);
  return own.length > 0 ? mostly(usual, fc.constantFrom(...own), 4) : usual;
}

/** Shrinks towards `valid`. */
export const mostly = <T>(valid: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = VALID_TO_ODD) =>
  fc.oneof({ withCrossShrink: true }, { arbitrary: valid, weight }, { arbitrary: odd, weight: 1 });

/** Generates values valid by the schema, or known ones if the name says more than the schema. */
function validSource(schema: Schema, path: string, name: string, odd: Source): Source {
  const known = knownSources(name, path);
  if (known) return fc.constantFrom(...known);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return fc.oneof(...alternatives.map((one) => sourceOf(one, path, name, odd)));
  const values = schema.enum ?? ('const' in schema ? [schema.const] : null);
  if (values) return fc.constantFrom(...values.map((value) => JSON.stringify(value)));
  return typedSource(schema, path, odd);
}

function typedSource(schema: Schema, path: string, odd: Source): Source {
  const { minimum: min = 0, maximum: max = min + 1000, minLength = 0, maxLength = 40 } = schema;
  switch ([schema.type].flat()[0]) {
    case 'object':
      return objectSource(schema, path, odd);
    case 'array':
      return fc
        .array(sourceOf(schema.items ?? {}, path, '', odd), { maxLength: 4 })
        .map((items) => `[${items}]`);
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'null':
      return fc.constant('null');
    case 'integer':
    case 'number':
      return Number.isInteger(min)
        ? fc.integer({ min, max }).map(String)
        : fc.double({ min, max, noNaN: true }).map(String);
    case 'string':
      return fc.string({ minLength, maxLength: Math.min(maxLength, 40) }).map((text) => JSON.stringify(text));
    default:
      return odd;
  }
}

function objectSource({ properties = {}, required = [] }: Schema, path: string, odd: Source): Source {
  const absent = fc.constant(null);
  const memberOf = (name: string, value: Source) =>
    value.map((source) => `${JSON.stringify(name)}:${source}`);
  const members = Object.entries(properties).map(([name, schema]) => {
    const member = memberOf(name, sourceOf(schema, path, name, odd));
    return required.includes(name) ? mostly(member, absent, 30) : mostly(absent, member, 2);
  });
  const extra = fc.constantFrom(...ODD_KEYS, ...Object.keys(properties)).chain((key) => memberOf(key, odd));
  return fc
    .tuple(...members, mostly(absent, extra))
    .map((all) => `{${all.filter((member) => member !== null)}}`);
}
