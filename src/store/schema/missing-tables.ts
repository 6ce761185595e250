import type { DataSource } from 'typeorm';
import { isDatabaseUnavailable } from '../../platform/database-error.js';
import { withoutStatement } from '../../platform/without-statement.js';
import { ownQuery } from '../own-manager.js';
import { webhookMetadata } from './entities.js';
import { areAllRecorded, checkRecorded, leadsNowhere } from './recorded-migrations.js';

/** The error of SQLite, MariaDB and MySQL for a missing table or column. */
const MISSING = /no such (table|column)|Table '.*' doesn't exist|Unknown column/;

/**
 * Checks that the database has the tables and columns of the entities. A database that does not answer passes: it may be
 * back before it is needed.
 *
 * @throws Error if the migrations have not run, or the data source lacks an entity; UnfitDatabaseError
 */
export async function checkTables(dataSource: DataSource): Promise<void> {
  await checkRecorded(dataSource);
  const escaped = (name: string) => dataSource.driver.escape(name);
  for (const { tableName, columns } of webhookMetadata(dataSource)) {
    const names = columns.map(({ databaseName }) => escaped(databaseName));
    try {
      await ownQuery(dataSource, `SELECT ${names.join(', ')} FROM ${escaped(tableName)} WHERE 1 = 0`);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return;
      const { message } = error as Error;
      if (!MISSING.test(message)) throw withoutStatement(error);
      if (await areAllRecorded(dataSource)) throw leadsNowhere(unlike(message));
      throw new Error(
        `The tables of the webhooks are missing, or older than this version (${message}). Run webhookMigrations first: ` +
          'the data source does so at its start with migrations: webhookMigrations and migrationsRun: true, ' +
          'and "npx typeorm migration:run -d FILE" does so by hand.',
      );
    }
  }
}

const unlike = (message: string) =>
  `All migrations of this version ran on this database, and yet the tables of the webhooks lack something (${message}): they ` +
  'were made by a development version, with another tablePrefix, or changed by hand.';
