import { type QueryRunner, Table, type TableColumn, type TableOptions } from 'typeorm';
import { tablePrefixOf } from './entities.js';
import { renamed, withTablePrefix } from './table-prefix.js';

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
    addColumns: (table: string, columns: TableColumn[]): Promise<void> =>
      runner.addColumns(named(table), columns),
    query: (sql: string): Promise<unknown> => runner.query(named(sql)),
  };
}
