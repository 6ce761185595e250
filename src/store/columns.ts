import type { EntitySchemaColumnOptions as Column } from 'typeorm';

/** Column types that mean the same on every database. */
export interface Columns {
  /** ASCII words: ids, states, codes. Compared byte by byte. */
  ascii(length: number): Column;
  /** The same with a fixed length, so that MySQL can update the row in place. */
  fixedAscii(length: number): Column;
  /** Any Unicode text of at most `length` characters. Comparison is case-sensitive. */
  unicode(length: number): Column;
  /** Text of at most `length` characters that is compared byte by byte, with its trailing blanks. */
  exact(length: number): Column;
  /** Unicode text of at most 64 KiB. */
  text(): Column;
  /** Unicode text of at most 16 MiB. */
  longText(): Column;
  /** At most 16 MiB of bytes. */
  bytes(): Column;
  /** Milliseconds since the Unix epoch: date types lose milliseconds or time zones on some databases. */
  time(): Column;
  /** A time that is set later and stored as 0 until then: a NULL takes no space, so filling it in would move the row. */
  timeToCome(): Column;
  integer(): Column;
  /** A number that the database counts up. */
  serial(): Column;
  boolean(): Column;
}

const toNumber = (value: unknown) => (value === null || value === undefined ? value : Number(value));

/** A driver may answer a number of 64 bits as text. */
export const asNumber = { to: (value: unknown) => value, from: toNumber };

/** The types that are written alike on every database. */
export const COMMON_COLUMNS = {
  time: () => ({ type: 'bigint', transformer: asNumber }),
  timeToCome: () => ({
    type: 'bigint',
    default: 0,
    transformer: { to: (value: unknown) => value ?? 0, from: (value: unknown) => toNumber(value) || null },
  }),
  integer: () => ({ type: 'integer' }),
  boolean: () => ({ type: 'boolean' }),
} satisfies Partial<Columns>;
