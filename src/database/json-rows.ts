import type { Dialect } from './columns.js';

/** `id` and `word` are ASCII, `word` of at most 64 characters; `user` is a user's id. */
export type JsonRowType = 'id' | 'word' | 'user' | 'text' | 'integer';

const MYSQL_TYPES: Record<JsonRowType, string> = {
  // With the column's own collation: otherwise the comparison converts the column and leaves its index unused.
  id: 'VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin',
  word: 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin',
  user: 'VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  text: 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  integer: 'BIGINT',
};

/**
 * A table of rows out of one parameter, a JSON array of arrays: one statement, prepared once, for any number of rows.
 *
 * @param columns names and types, in the order of each inner array.
 * @returns SQL to stand behind FROM or JOIN, before an alias.
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

/**
 * An UPDATE of table rows `t` from the rows of one JSON parameter, `j`.
 *
 * @param changes each column and the expression that it is set to.
 * @param on which `t` belongs to which `j`; it must find `t` by an index.
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
    : // In this order: the optimiser, left alone, may read the whole table, and lock it.
      `UPDATE ${rows} AS j STRAIGHT_JOIN ${table} AS t ON ${on} SET ${set('t.')}`;
}

/** A list of ids for `IN`, of any length, as one parameter. */
export function idList(dialect: Dialect, ids: string[]): { sql: string; parameter: unknown } {
  return dialect === 'sqlite'
    ? { sql: '(SELECT value FROM json_each(?))', parameter: JSON.stringify(ids) }
    : { sql: '(?)', parameter: ids };
}
