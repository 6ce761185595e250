import type { DataSource } from 'typeorm';
import { ownQuery } from './own-manager.js';

/** The error of SQLite, MariaDB and MySQL in a database where no migration has run. */
const MISSING_TABLE = /no such table|Table '.*' doesn't exist/;

/** The names of the migrations that the database has recorded, in the table that the data source's options name. */
export async function recordedMigrations(dataSource: DataSource): Promise<Set<string>> {
  const { migrationsTableName = 'migrations' } = dataSource.options;
  const table = migrationsTableName.split('.').map((part) => dataSource.driver.escape(part));
  try {
    const rows = await ownQuery<{ name: string }[]>(dataSource, `SELECT name FROM ${table.join('.')}`);
    return new Set(rows.map(({ name }) => name));
  } catch (error) {
    if (MISSING_TABLE.test((error as Error).message)) return new Set();
    throw error;
  }
}

/** The names under which the data source records its migrations. */
export const namesOfMigrations = ({ migrations }: DataSource): string[] =>
  migrations.map((migration) => migration.name ?? migration.constructor.name);

/** Whether the schema is behind the code; null if the database does not answer in time. */
export async function hasPendingMigrations(
  dataSource: DataSource,
  timeoutMs: number,
): Promise<boolean | null> {
  const timeout = new Promise<null>((resolve) => setTimeout(resolve, timeoutMs, null).unref());
  const asked = recordedMigrations(dataSource).then(
    (applied) => namesOfMigrations(dataSource).some((name) => !applied.has(name)),
    () => null,
  );
  return Promise.race([asked, timeout]);
}
