import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { FuzzOperation } from './document.js';
import { mostly, oddSource, sourceOf } from './json.js';

/** A body whose `~names~` are not replaced yet. */
export interface FuzzBody {
  source: string;
  /** Applied to the complete bytes. */
  damage: Damage;
}

type Damage =
  | { kind: 'none' | 'gzip' | 'utf16' }
  /** Truncates the body at this fraction of its length. */
  | { kind: 'cut'; at: number }
  /** Inserts these bytes, which are not UTF-8, at this fraction of its length. */
  | { kind: 'bytes'; at: number; bytes: number[] }
  /** Pads the body with spaces to this length in bytes. */
  | { kind: 'pad'; to: number };

const KIB = 1024;
const NO_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0xa6], [0x80], [0xfe, 0xff]];

const none = fc.constant<Damage>({ kind: 'none' });
const damage: fc.Arbitrary<Damage> = fc.oneof(
  { arbitrary: fc.constantFrom<Damage>({ kind: 'gzip' }, { kind: 'utf16' }), weight: 4 },
  { arbitrary: fc.record({ kind: fc.constant('cut' as const), at: fraction() }), weight: 6 },
  {
    arbitrary: fc.record({
      kind: fc.constant('bytes' as const),
      at: fraction(),
      bytes: fc.constantFrom(...NO_UTF8),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.constantFrom<Damage>(
      ...[256 * KIB, 256 * KIB + 1, KIB * KIB, KIB * KIB + 1, 3 * KIB * KIB].map((to) => ({
        kind: 'pad' as const,
        to,
      })),
    ),
    weight: 1,
  },
);

function fraction(): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
}

/** Text put before and after the value. */
const WRAPPINGS: [before: string, after: string][] = [
  ['\ufeff', ''],
  ['', '}'],
  ['', ','],
  ['', '{"a":1}'],
  ['', '\u0000'],
  [")]}',\n", ''],
  ['/* */', ''],
  ['[', ']'],
  [' \t\r\n', '\n'],
];

/** Generates a body, or null for a request without one. */
export function bodyFor({ body, path }: FuzzOperation): fc.Arbitrary<FuzzBody | null> {
  const source = body ? mostly(sourceOf(body, path), oddSource, 20) : oddSource;
  const wrapped = mostly(
    source,
    fc.tuple(source, fc.constantFrom(...WRAPPINGS)).map(([text, [before, after]]) => before + text + after),
    30,
  );
  const made = fc.record({ source: wrapped, damage: mostly(none, damage, 12) });
  const absent = fc.constant(null);
  return body ? mostly(made, absent, 40) : mostly(absent, made, 20);
}

/** @param source whose names have been replaced. */
export function bytesOf(source: string, damaged: Damage): Buffer {
  // A lone surrogate has no UTF-8 encoding and becomes U+FFFD.
  const bytes = Buffer.from(source);
  switch (damaged.kind) {
    case 'gzip':
      return gzipSync(bytes);
    case 'utf16':
      return Buffer.from(source, 'utf16le');
    case 'cut':
      return bytes.subarray(0, Math.floor(bytes.length * damaged.at));
    case 'bytes': {
      const at = Math.floor(bytes.length * damaged.at);
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(damaged.bytes), bytes.subarray(at)]);
    }
    case 'pad':
      return Buffer.concat([bytes, Buffer.alloc(Math.max(0, damaged.to - bytes.length), ' ')]);
    default:
      return bytes;
  }
}
