import type { JsonRowType, RowColumns, Sql } from '../sql.js';

const TYPES: Record<JsonRowType, string> = {
  // The collation must match the column's: otherwise the comparison converts the column and cannot use its index.
  id: 'VARCHAR(36) CHARACTER SET ascii COLLATE ascii_bin',
  word: 'VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin',
  user: 'VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  text: 'LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  integer: 'BIGINT',
};

const BY_KEY = 'FORCE INDEX (PRIMARY)';

const jsonRows = (columns: RowColumns) => {
  const values = Object.entries(columns).map(([name, type], i) => `${name} ${TYPES[type]} PATH '$[${i}]'`);
  return `JSON_TABLE(?, '$[*]' COLUMNS (${values.join(', ')}))`;
};

/** MySQL and MariaDB. */
export const mysqlSql: Sql = {
  idList: (ids) => ({ sql: '(?)', parameter: ids }),
  jsonRows,
  // JSON_TABLE itself is refused where rows are locked, also in a table that can be merged.
  materialisedRows: (columns) => `(SELECT * FROM ${jsonRows(columns)} AS k LIMIT ${Number.MAX_SAFE_INTEGER})`,
  updateFromRows(table, columns, changes, on) {
    const set = Object.entries(changes).map(([column, value]) => `t.${column} = ${value}`);
    // Without both hints the optimiser may scan the whole table, also one of a few rows, and wait for those that others have locked.
    return `UPDATE ${jsonRows(columns)} AS j STRAIGHT_JOIN ${table} AS t ${BY_KEY} ON ${on} SET ${set.join(', ')}`;
  },
  // With IN, it would scan a small table, and wait for rows that others have locked.
  deleteRows(table, key) {
    const on = Object.keys(key).map((column) => `t.${column} = j.${column}`);
    return `DELETE t FROM ${jsonRows(key)} AS j STRAIGHT_JOIN ${table} AS t ${BY_KEY} ON ${on.join(' AND ')}`;
  },
  deleteByKey: (table) => `DELETE t FROM ${table} AS t ${BY_KEY}`,
  byIndex: (index) => `FORCE INDEX (${index})`,
  thenJoin: 'STRAIGHT_JOIN',
  insertIgnore: 'INSERT IGNORE INTO',
  onDuplicate: 'ON DUPLICATE KEY UPDATE',
  // A value that changes: on the nodes of a Galera cluster only those that write the same row conflict.
  lockDuplicate: (column) => `ON DUPLICATE KEY UPDATE ${column} = (${column} + 1) % 1000000`,
  forUpdate: 'FOR UPDATE',
  forShare: 'LOCK IN SHARE MODE',
  forUpdateOfFree: 'FOR UPDATE SKIP LOCKED',
  changedBefore: 'ROW_COUNT()',
  greatest: 'GREATEST',
  now: `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`,
  bytesOf: (column) => `LENGTH(${column})`,
  // It would read all of it.
  sizeIfKnown: () => '0',
  // As text, trailing blanks would not count.
  exact: (text) => Buffer.from(text),
  concat: (one, other) => `CONCAT(${one}, ${other})`,
  concatRows: (text, orderBy) => `GROUP_CONCAT(${text} ORDER BY ${orderBy} SEPARATOR '')`,
  // Cut off at 1 KiB otherwise.
  selectLongTexts: 'SELECT /*+ SET_VAR(group_concat_max_len = 1000000) */',
  hasUpdateFrom: false,
  // It does not take a row for a range.
  comparePair: ([one, two], operator) =>
    `(${one} ${operator.charAt(0)} ? OR (${one} = ? AND ${two} ${operator} ?))`,
  pairOf: (first, second) => [first, first, second],
};
