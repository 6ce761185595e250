import fc from 'fast-check';
import type { Operation } from '../../support/operations.js';
import { mostly, sourceOf } from './json.js';

/** Values as written in a URL. */
const ODD_VALUES = [
  '',
  '%',
  '%zz',
  '%c3%28',
  '%ED%A0%80',
  '%00',
  '%0d%0aX-Injected:%201',
  '+',
  '%20',
  "'%20OR%201=1%20--",
  'a'.repeat(3000),
];
const ODD_NAMES: ((name: string) => string)[] = [
  (name) => `${name}[]`,
  (name) => `${name}[a][b]`,
  (name) => name.toUpperCase(),
  (name) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
  () => '__proto__',
  () => 'constructor',
  () => '%zz',
  () => '',
  () => 'unknown',
];
const ODD_QUERIES = ['?', '?&&&', '?=', '?%', '?a#b', `?${'a=1&'.repeat(1500)}`, '?\u00e9'];

/** A query parameter. `source` is JSON, because the generators for bodies also make the values here. */
function parameter(name: string, source: string): string {
  const value: unknown = JSON.parse(source);
  const text = (typeof value === 'string' ? value : source).slice(0, 3000);
  return `${name}=${encodeURIComponent(text.toWellFormed())}`;
}

/** A query string with its question mark, or an empty string. */
export function queryFor({ query, path }: Operation): fc.Arbitrary<string> {
  const own = query.map(({ name, required, schema }) => {
    const good = sourceOf(schema, path, name).map((source) => parameter(name, source));
    const oddValue = fc.constantFrom(...ODD_VALUES).map((value) => `${name}=${value}`);
    const present = mostly(good, oddValue, 10);
    const absent = fc.constant<string | null>(null);
    return required ? mostly<string | null>(present, absent, 30) : mostly<string | null>(absent, present, 3);
  });
  const names = query.length > 0 ? query.map(({ name }) => name) : ['id'];
  const extra = fc
    .tuple(
      fc.constantFrom(...names),
      fc.constantFrom(...ODD_NAMES, (name: string) => name),
      fc.constantFrom('1', ...ODD_VALUES),
    )
    .map(([name, change, value]): string | null => `${change(name)}=${value}`);
  const usual = fc
    .tuple(...own, mostly(fc.constant(null), extra, 15))
    .map((parts) => parts.filter((part) => part !== null).join('&'))
    .map((text) => text && `?${text}`);
  return mostly(usual, fc.constantFrom(...ODD_QUERIES), 40);
}
