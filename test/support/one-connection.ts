import { beforeAll } from '@jest/globals';
import type { DataSource, DataSourceOptions, EntityManager } from 'typeorm';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import type { TestDatabaseKind } from './databases.js';
import { useDatabase } from './fixture.js';

/** The service's tables for a block, over a single connection: MariaDB keeps settings and counters for each. */
export function useOneConnection(kind: TestDatabaseKind): { readonly database: Database } {
  const tables = useDatabase(kind, 'block', 'migrated');
  let database: Database | undefined;
  beforeAll(async () => {
    const one = kind.name === 'MariaDB' ? { extra: { connectionLimit: 1 } } : {};
    const options = { ...dataSourceOptions(tables.url), ...one } as DataSourceOptions;
    const dataSource = await createDataSource(options).initialize();
    tables.defer(() => dataSource.destroy());
    database = new Database(dataSource);
  });
  return {
    get database() {
      return database as Database;
    },
  };
}

/** How many rows MariaDB has read for a connection. */
export async function rowsReadBy(connection: DataSource | EntityManager): Promise<number> {
  const counters = await connection.query<{ Value: string }[]>(`SHOW SESSION STATUS LIKE 'Handler_read%'`);
  return counters.reduce((sum, { Value }) => sum + Number(Value), 0);
}
