import type { DataSource, EntitySchemaColumnOptions } from 'typeorm';

/** The databases that the service runs on. MariaDB counts as `mysql`. */
export type Dialect = 'sqlite' | 'mysql';

/** @throws Error for a data source of any other kind */
export function dialectOf({ options: { type } }: DataSource): Dialect {
  if (type === 'better-sqlite3') return 'sqlite';
  if (type === 'mysql' || type === 'mariadb') return 'mysql';
  throw new Error(
    `Webhooks cannot be kept in a data source of type ${type}: better-sqlite3, mysql or mariadb can hold them.`,
  );
}

const MYSQL_ASCII = { charset: 'ascii', collation: 'ascii_bin' };
// Binary collation: a user "Acme" is not the user "acme".
const MYSQL_UNICODE = { charset: 'utf8mb4', collation: 'utf8mb4_bin' };

const toNumber = (value: unknown) => (value === null || value === undefined ? value : Number(value));

const toText = (value: unknown) => (Buffer.isBuffer(value) ? value.toString() : value);

/** Column types that mean the same on every database. */
export function columnsOf(dialect: Dialect) {
  const mysql = dialect === 'mysql';
  return {
    /** ASCII words: ids, states, codes. Compared byte by byte. */
    ascii: (length: number): EntitySchemaColumnOptions => ({
      type: 'varchar',
      length,
      ...(mysql ? MYSQL_ASCII : {}),
    }),
    /** The same with a fixed length, so that MySQL can update the row in place. */
    fixedAscii: (length: number): EntitySchemaColumnOptions => ({
      type: mysql ? 'char' : 'varchar',
      length,
      ...(mysql ? MYSQL_ASCII : {}),
    }),
    /** Any Unicode text of at most `length` characters. Comparison is case-sensitive. */
    unicode: (length: number): EntitySchemaColumnOptions => ({
      type: 'varchar',
      length,
      ...(mysql ? MYSQL_UNICODE : {}),
    }),
    /** Text of at most `length` characters that is compared byte by byte, with its trailing blanks. */
    exact: (length: number): EntitySchemaColumnOptions =>
      mysql
        ? {
            type: 'varbinary',
            length: 3 * length,
            transformer: { to: (value: unknown) => value, from: toText },
          }
        : { type: 'varchar', length },
    /** Unicode text of at most 64 KiB. */
    text: (): EntitySchemaColumnOptions => ({ type: 'text', ...(mysql ? MYSQL_UNICODE : {}) }),
    /** Unicode text of at most 16 MiB. */
    longText: (): EntitySchemaColumnOptions => ({
      type: mysql ? 'mediumtext' : 'text',
      ...(mysql ? MYSQL_UNICODE : {}),
    }),
    /** At most 16 MiB of bytes. */
    bytes: (): EntitySchemaColumnOptions => ({ type: mysql ? 'mediumblob' : 'blob' }),
    /** Milliseconds since the Unix epoch: date types lose milliseconds or time zones on some databases. */
    time: (): EntitySchemaColumnOptions => ({
      type: 'bigint',
      transformer: { to: (value: unknown) => value, from: toNumber },
    }),
    /** A time that is set later and stored as 0 until then: a NULL takes no space, so filling it in would move the row. */
    timeToCome: (): EntitySchemaColumnOptions => ({
      type: 'bigint',
      default: 0,
      transformer: { to: (value: unknown) => value ?? 0, from: (value: unknown) => toNumber(value) || null },
    }),
    integer: (): EntitySchemaColumnOptions => ({ type: 'integer' }),
    /** A number that the database counts up. SQLite does so only for `integer`. */
    serial: (): EntitySchemaColumnOptions => ({
      type: mysql ? 'bigint' : 'integer',
      transformer: { to: (value: unknown) => value, from: toNumber },
    }),
    boolean: (): EntitySchemaColumnOptions => ({ type: 'boolean' }),
  };
}
export type Columns = ReturnType<typeof columnsOf>;
