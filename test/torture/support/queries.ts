import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import type { DatabaseFixture } from '../../support/fixture.js';

/** Asks the database beside the service, until it is dropped. */
export async function queriesOn(database: DatabaseFixture) {
  const options = { ...dataSourceOptions(database.url), migrationsRun: false };
  const dataSource = await createDataSource(options).initialize();
  database.defer(() => dataSource.destroy());
  return <T>(sql: string): Promise<T[]> => dataSource.query(sql);
}
