import type { DataSource } from 'typeorm';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { type TestDatabaseKind, tablesOf } from '../support/databases.js';
import { type DatabaseFixture, useDatabase } from '../support/fixture.js';

/** What a version from before the first release recorded; the last two are gone, and the others were rewritten. */
const DEVELOPMENT = [
  'CreateWebhook1795219200000',
  'CreateWebhookNotification1795219202000',
  'CreateWebhookTrigger1795219203000',
  'FixWebhookTriggerRowLength1795219212000',
  'CreateWebhookRequestHead1795219213000',
];
export const REFUSED =
  /made by a development version: .*\(FixWebhookTriggerRowLength1795219212000, CreateWebhookRequestHead1795219213000\).*begin with an empty database/;

/** An empty database for each test, and what migrations leave in it. */
export function useRecorded(kind: TestDatabaseKind) {
  const database: DatabaseFixture = useDatabase(kind, 'test');
  const isSqlite = kind.name === 'SQLite';

  async function open<T>(use: (dataSource: DataSource) => Promise<T>): Promise<T> {
    const dataSource = await createDataSource(dataSourceOptions(database.url)).initialize();
    try {
      return await use(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  /** Records migrations by their names. */
  const record = (names = DEVELOPMENT, table = 'webhook_migration') =>
    open(async (dataSource) => {
      const id = isSqlite ? 'INTEGER PRIMARY KEY' : 'int AUTO_INCREMENT PRIMARY KEY';
      await dataSource.query(
        `CREATE TABLE IF NOT EXISTS ${table} (id ${id}, timestamp bigint NOT NULL, name varchar(255) NOT NULL)`,
      );
      for (const name of names)
        await dataSource.query(`INSERT INTO ${table} (timestamp, name) VALUES (?, ?)`, [
          name.slice(-13),
          name,
        ]);
    });

  const tables = () => open(tablesOf);

  return { database, open, record, tables };
}
