import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { Operation } from '../../support/operations.js';
import { mostly, oddSource, sourceOf } from './json.js';

/** A body whose `~names~` are not replaced yet. */
export interface FuzzBody {
  source: string;
  /** Makes the bytes, which may be damaged, of the complete source. */
  encode(source: string): Buffer;
}

const KIB = 1024;
const SIZES = [256 * KIB, 256 * KIB + 1, KIB * KIB, KIB * KIB + 1, 3 * KIB * KIB];
const NO_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0xa6], [0x80], [0xfe, 0xff]];

/** A lone surrogate has no UTF-8 encoding and becomes U+FFFD. */
export const utf8 = (source: string): Buffer => Buffer.from(source);

const utf16 = (source: string) => Buffer.from(source, 'utf16le');
const gzipped = (source: string) => gzipSync(utf8(source));
const cutAt = (fraction: number) => (source: string) => {
  const bytes = utf8(source);
  return bytes.subarray(0, bytes.length * fraction);
};
const broken = (fraction: number, inserted: number[]) => (source: string) => {
  const bytes = utf8(source);
  const at = bytes.length * fraction;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(inserted), bytes.subarray(at)]);
};
const paddedTo = (size: number) => (source: string) => {
  const bytes = utf8(source);
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), ' ')]);
};

const fraction = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
const damaging = fc.oneof(
  { arbitrary: fc.constantFrom(gzipped, utf16), weight: 4 },
  { arbitrary: fraction.map(cutAt), weight: 6 },
  { arbitrary: fc.tuple(fraction, fc.constantFrom(...NO_UTF8)).map((part) => broken(...part)), weight: 6 },
  { arbitrary: fc.constantFrom(...SIZES.map(paddedTo)), weight: 1 },
);

/** Text put before and after the value. */
const WRAPPINGS: [before: string, after: string][] = [
  ['\ufeff', ''],
  ['', '}'],
  ['', ','],
  ['', '{"a":1}'],
  ['', '\u0000'],
  ['/* */', ''],
  ['[', ']'],
  [' \t\r\n', '\n'],
];

/** Generates a body, or null for a request without one. */
export function bodyFor({ body, path }: Operation): fc.Arbitrary<FuzzBody | null> {
  const source = body ? mostly(sourceOf(body, path), oddSource, 20) : oddSource;
  const wrapped = mostly(
    source,
    fc.tuple(source, fc.constantFrom(...WRAPPINGS)).map(([text, [before, after]]) => before + text + after),
    30,
  );
  const made = fc.record({ source: wrapped, encode: mostly(fc.constant(utf8), damaging, 12) });
  const absent = fc.constant(null);
  return body ? mostly(made, absent, 40) : mostly(absent, made, 20);
}
