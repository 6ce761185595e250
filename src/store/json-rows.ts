import type { Dialect } from './columns.js';
import { indexHint } from './index-hint.js';

/** `id` and `word` are ASCII, `word` of at most 64 characters; `user` is a user's id. */
export type JsonRowType = 'id' | 'word' | 'user' | 'text' | 'integer';

const MYSQL_TYPES: Record<JsonRowType, string> = {
  // The collation must match the column's: otherwise the comparison converts the column and cannot use its index.
  id: 'VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin',
  word: 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin',
  user: 'VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  text: 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  integer: 'BIGINT',
};

/**
 * A derived table whose rows come from one parameter, a JSON array of arrays: one prepared statement serves any number of
 * rows.
 *
 * @param columns names and types, in the order of the values in each inner array.
 * @returns SQL that follows FROM or JOIN and takes an alias.
 */
export function jsonRows(dialect: Dialect, columns: Record<string, JsonRowType>): string {
  const entries = Object.entries(columns);
  if (dialect === 'sqlite') {
    const values = entries.map(([name], i) => `json_extract(value, '$[${i}]') AS ${name}`);
    return `(SELECT ${values.join(', ')} FROM json_each(?))`;
  }
  const values = entries.map(([name, type], i) => `${name} ${MYSQL_TYPES[type]} PATH '$[${i}]'`);
  return `JSON_TABLE(?, '$[*]' COLUMNS (${values.join(', ')}))`;
}

/** Like {@link jsonRows}, for a SELECT that locks: MySQL refuses JSON_TABLE itself there, also in a table that it can merge. */
export const materialisedRows = (dialect: Dialect, columns: Record<string, JsonRowType>) =>
  dialect === 'sqlite'
    ? jsonRows(dialect, columns)
    : `(SELECT * FROM ${jsonRows(dialect, columns)} AS k LIMIT ${Number.MAX_SAFE_INTEGER})`;

/**
 * An UPDATE of table rows `t` from the rows `j` of one JSON parameter.
 *
 * @param changes maps each column to the expression it is set to.
 * @param on the join condition between `t` and `j`; it must find `t` by its primary key.
 */
export function updateFromRows(
  dialect: Dialect,
  table: string,
  columns: Record<string, JsonRowType>,
  changes: Record<string, string>,
  on: string,
): string {
  const rows = jsonRows(dialect, columns);
  const set = (prefix: string) =>
    Object.entries(changes)
      .map(([column, value]) => `${prefix}${column} = ${value}`)
      .join(', ');
  return dialect === 'sqlite'
    ? `UPDATE ${table} AS t SET ${set('')} FROM ${rows} AS j WHERE ${on}`
    : // Without both hints the optimiser may scan the whole table, also one of a few rows, and wait for those that others have locked.
      `UPDATE ${rows} AS j STRAIGHT_JOIN ${table} AS t ${indexHint('mysql', 'PRIMARY')} ON ${on} SET ${set('t.')}`;
}

/**
 * A DELETE of the rows whose `column`, the primary key, is in one JSON parameter, an array of arrays of one value. Finds each by its key: with
 * `IN`, MySQL scans a small table, and waits for rows that others have locked.
 */
export function deleteRows(dialect: Dialect, table: string, column: string, type: JsonRowType): string {
  const rows = jsonRows(dialect, { key_value: type });
  return dialect === 'sqlite'
    ? `DELETE FROM ${table} WHERE ${column} IN (SELECT key_value FROM ${rows})`
    : `DELETE t FROM ${rows} AS j STRAIGHT_JOIN ${table} AS t ${indexHint('mysql', 'PRIMARY')} ON t.${column} = j.key_value`;
}

/** The parameter of {@link deleteRows}. */
export const keysOf = (keys: (string | number)[]) => JSON.stringify(keys.map((key) => [key]));

/** A list of ids for `IN` as one parameter, whatever its length. */
export function idList(dialect: Dialect, ids: string[] | number[]): { sql: string; parameter: unknown } {
  return dialect === 'sqlite'
    ? { sql: '(SELECT value FROM json_each(?))', parameter: JSON.stringify(ids) }
    : { sql: '(?)', parameter: ids };
}
