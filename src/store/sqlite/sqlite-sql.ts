import { writeJson } from '../../platform/json/write-json.js';
import type { RowColumns, Sql } from '../sql.js';

const jsonRows = (columns: RowColumns) => {
  const values = Object.keys(columns).map((name, i) => `json_extract(value, '$[${i}]') AS ${name}`);
  return `(SELECT ${values.join(', ')} FROM json_each(?))`;
};

/** One transaction runs at a time, so nothing is locked. */
export const sqliteSql: Sql = {
  idList: (ids) => ({ sql: '(SELECT value FROM json_each(?))', parameter: writeJson(ids) }),
  jsonRows,
  materialisedRows: jsonRows,
  updateFromRows(table, columns, changes, on) {
    const set = Object.entries(changes).map(([column, value]) => `${column} = ${value}`);
    return `UPDATE ${table} AS t SET ${set.join(', ')} FROM ${jsonRows(columns)} AS j WHERE ${on}`;
  },
  deleteRows(table, key) {
    const columns = Object.keys(key).join(', ');
    return `DELETE FROM ${table} WHERE (${columns}) IN (SELECT ${columns} FROM ${jsonRows(key)})`;
  },
  deleteByKey: (table) => `DELETE FROM ${table} AS t`,
  byIndex: (index) => (index === 'PRIMARY' ? '' : `INDEXED BY ${index}`),
  thenJoin: 'CROSS JOIN',
  insertIgnore: 'INSERT OR IGNORE INTO',
  onDuplicate: 'ON CONFLICT DO UPDATE SET',
  lockDuplicate: () => 'ON CONFLICT DO NOTHING',
  forUpdate: '',
  forShare: '',
  forUpdateOfFree: '',
  changedBefore: 'changes()',
  greatest: 'MAX',
  now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
  // LENGTH of a text counts characters up to the first NUL.
  bytesOf: (column) => `LENGTH(CAST(${column} AS BLOB))`,
  sizeIfKnown: (column) => `LENGTH(${column})`,
  exact: (text) => text,
  concat: (one, other) => `${one} || ${other}`,
  concatRows: (text, orderBy) => `group_concat(${text}, '' ORDER BY ${orderBy})`,
  selectLongTexts: 'SELECT',
  hasUpdateFrom: true,
  // It would read the ranges of the other form one after the other, and sort what it finds.
  comparePair: ([one, two], operator) => `(${one}, ${two}) ${operator} (?, ?)`,
  pairOf: (first, second) => [first, second],
};
