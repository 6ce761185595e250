import { type QueryRunner, Table, type TableColumn, type TableOptions } from 'typeorm';
import { tablePrefixOf } from './entities.js';
import { withTablePrefix } from './table-prefix.js';

/** What a migration does to tables, which it names without the prefix that they may have. */
export function tables(runner: QueryRunner) {
  const named = withTablePrefix(tablePrefixOf(runner.dataSource));
  return {
    create(options: TableOptions): Promise<void> {
      const { indices = [], foreignKeys = [] } = options;
      return runner.createTable(
        new Table({
          ...options,
          name: named(options.name),
          indices: indices.map((index) => ({ ...index, name: named(index.name ?? '') })),
          foreignKeys: foreignKeys.map((key) => ({
            ...key,
            name: named(key.name ?? ''),
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
