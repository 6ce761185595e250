import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/store/database.js';
import { checkServer } from '../../src/store/mysql/server-check.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';

export async function opened(url: string, options = {}): Promise<DataSource> {
  const dataSource = await createDataSource(dataSourceOptions(url, options)).initialize();
  await dataSource.runMigrations();
  return dataSource;
}

/** Makes the check and returns what it logs. */
export async function warningsOf(dataSource: DataSource): Promise<string[]> {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
  try {
    await checkServer(new Database(dataSource));
    return warn.mock.calls.map(([message]) => String(message));
  } finally {
    warn.mockRestore();
  }
}
