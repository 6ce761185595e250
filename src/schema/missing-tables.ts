import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable, withoutStatement } from '../common/database-error.js';
import { webhookMetadata } from './entities.js';

/** The error of SQLite, MariaDB and MySQL for a missing table or column. */
const MISSING = /no such (table|column)|Table '.*' doesn't exist|Unknown column/;

/**
 * Checks that the database has the tables and columns of the entities. A database that does not answer passes: it may be
 * back before it is needed.
 *
 * @throws Error if the migrations have not run, or the data source lacks an entity.
 */
export async function checkTables(dataSource: DataSource): Promise<void> {
  const escaped = (name: string) => dataSource.driver.escape(name);
  for (const { tableName, columns } of webhookMetadata(dataSource)) {
    const names = columns.map(({ databaseName }) => escaped(databaseName));
    try {
      await dataSource.query(`SELECT ${names.join(', ')} FROM ${escaped(tableName)} WHERE 1 = 0`);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return;
      const { message } = error as Error;
      if (!MISSING.test(message)) throw withoutStatement(error);
      throw new Error(
        `The tables of the webhooks are missing, or older than this version (${message}). Run webhookMigrations first: ` +
          'the data source does so at its start with migrations: webhookMigrations and migrationsRun: true, ' +
          'and "npx typeorm migration:run -d FILE" does so by hand; the service has "npm run migration:run".',
      );
    }
  }
}
