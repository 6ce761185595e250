import { type QueryRunner, Table, TableColumn, type TableColumnOptions, type TableOptions } from 'typeorm';
import { dialectOf } from './columns.js';
import { renamed, tablePrefixOf, withTablePrefix } from './table-prefix.js';

/** What a migration does to tables, which it names without the prefix that they may have. */
export function tables(runner: QueryRunner) {
  const named = withTablePrefix(tablePrefixOf(runner.dataSource));
  return {
    create(options: TableOptions): Promise<void> {
      const { indices = [], foreignKeys = [] } = options;
      return runner.createTable(
        new Table({
          ...renamed(named, options),
          indices: indices.map((index) => renamed(named, index)),
          foreignKeys: foreignKeys.map((key) => ({
            ...renamed(named, key),
            referencedTableName: named(key.referencedTableName ?? ''),
          })),
        }),
      );
    },
    drop: (table: string): Promise<void> => runner.dropTable(named(table)),
    /** By SQL of its own: TypeORM would copy the whole table on SQLite. */
    async addColumns(table: string, columns: TableColumnOptions[]): Promise<void> {
      for (const column of columns)
        await runner.query(`ALTER TABLE ${named(table)} ADD COLUMN ${columnSql(column)}`);
    },
    /** Gives columns another shape, all at once, as the table is copied for it. */
    async changeColumns(table: string, columns: TableColumnOptions[]): Promise<void> {
      if (dialectOf(runner.dataSource) === 'mysql') {
        // TypeORM would drop the columns, and add them anew, empty.
        const changes = columns.map((column) => `MODIFY ${columnSql(column)}`);
        await runner.query(`ALTER TABLE ${named(table)} ${changes.join(', ')}`);
        return;
      }
      const before = (await runner.getTable(named(table))) as Table;
      const change = (column: TableColumnOptions) => ({
        oldColumn: before.findColumnByName(column.name) as TableColumn,
        newColumn: new TableColumn(column),
      });
      await runner.changeColumns(before, columns.map(change));
    },
    query: (sql: string, parameters?: unknown[]): Promise<unknown> => runner.query(named(sql), parameters),
  };
}

function columnSql({
  name,
  type,
  length,
  charset,
  collation,
  isNullable,
  default: value,
}: TableColumnOptions) {
  return [
    `${name} ${type}${length ? `(${length})` : ''}`,
    charset ? `CHARACTER SET ${charset} COLLATE ${collation}` : '',
    isNullable ? 'NULL' : 'NOT NULL',
    value === undefined ? '' : `DEFAULT ${value}`,
  ].join(' ');
}
