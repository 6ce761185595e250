import type { DataSource } from 'typeorm';
import { StatementTooLargeError } from '../../platform/database-error.js';
import type { Statement } from '../insert.js';

/** What goes before a statement, in bytes, and a little more. */
const HEAD = 64;
/** By the code of a character, whether the driver puts a backslash before it. */
const ESCAPED = new Uint8Array(128);
for (const character of '\0\b\t\n\r\x1a"\'\\') ESCAPED[character.charCodeAt(0)] = 1;

/** In bytes: the `max_allowed_packet` of the server. By data source, once that is known. */
const limits = new WeakMap<DataSource, number>();

/** @param bytes what the server takes at a time. */
export function limitStatements(dataSource: DataSource, bytes: number): void {
  if (bytes > 0) limits.set(dataSource, bytes);
}

/** How many bytes of values a statement with many rows may have: written into it, they take up to three times as many. */
export const rowsLimit = (dataSource: DataSource): number =>
  Math.floor((limits.get(dataSource) ?? Number.POSITIVE_INFINITY) / 4);

/**
 * The server would answer a larger one with an error or by closing the connection, which looks as if it were away.
 *
 * @throws StatementTooLargeError
 */
export function checkStatementSize(dataSource: DataSource, { sql, parameters }: Statement): void {
  const limit = limits.get(dataSource);
  if (limit === undefined || HEAD + mostBytesOf(sql) + mostBytesOf(parameters) <= limit) return;
  const bytes = HEAD + Buffer.byteLength(sql) + bytesOf(parameters);
  if (bytes > limit) throw new StatementTooLargeError(bytes, limit);
}

/** At least what {@link bytesOf} says, found without reading a text. */
function mostBytesOf(value: unknown): number {
  if (typeof value === 'string') return 3 * value.length + 2;
  return Array.isArray(value) ? sumOf(value, mostBytesOf) : bytesOf(value);
}

/** How many bytes a value has as the driver writes it. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + escapesIn(value) + 2;
  // In hexadecimal digits.
  if (Buffer.isBuffer(value)) return 2 * value.length + 3;
  return Array.isArray(value) ? sumOf(value, bytesOf) : 24;
}

function escapesIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128 && ESCAPED[code]) count++;
  }
  return count;
}

const sumOf = (values: unknown[], sizeOf: (value: unknown) => number) =>
  values.reduce<number>((sum, value) => sum + sizeOf(value) + 2, 2);
