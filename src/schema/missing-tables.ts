import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable, withoutStatement } from '../common/database-error.js';
import { webhookMetadata } from './entities.js';

/** What SQLite, MariaDB and MySQL say of a table or column that they do not have. */
const MISSING = /no such (table|column)|Table '.*' doesn't exist|Unknown column/;

/**
 * Checks that the database has the tables and columns that the entities describe. One that does not answer passes: it
 * may be back before anything is asked of it.
 *
 * @throws Error where the migrations have not run; EntityMetadataNotFoundError where the data source lacks an entity.
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
      throw new Error(`The tables of the webhooks are behind; run webhookMigrations. (${message})`);
    }
  }
}
