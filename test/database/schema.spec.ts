import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { webhookMigrations } from '../../migrations/index.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { databases, type TestDatabase } from '../support/databases.js';

describe.each(databases)('the migrations on $name', (kind) => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeEach(async () => {
    database = await kind.create();
    dataSource = await createDataSource(
      dataSourceOptions(database.url.replace('mysql:', 'mariadb:')),
    ).initialize();
  });
  afterEach(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  it('make the schema that the entities describe', async () => {
    await dataSource.runMigrations();
    const drift = await dataSource.driver.createSchemaBuilder().log();
    expect(drift.upQueries.map((q) => q.query)).toEqual([]);
  });

  it('can all be reverted, and run again', async () => {
    await dataSource.runMigrations();
    for (const _ of webhookMigrations) await dataSource.undoLastMigration();
    expect(await tables()).toEqual(['webhook_migration']);
    await dataSource.runMigrations();
    expect(await tables()).toContain('webhook_trigger');
  });

  // SQLite's database belongs to one process.
  const together = kind.name === 'SQLite' ? it.skip : it;
  together('run in processes that start together, each of them once', async () => {
    const others = [1, 2].map(() => createDataSource(dataSourceOptions(database.url)));
    try {
      await Promise.all(others.map((other) => other.initialize()));
      await Promise.all([dataSource, ...others].map((one) => one.runMigrations()));
      const recorded = await dataSource.query<{ name: string }[]>('SELECT name FROM webhook_migration');
      expect(recorded.map(({ name }) => name).sort()).toEqual(
        webhookMigrations.map(({ name }) => name).sort(),
      );
      const drift = await dataSource.driver.createSchemaBuilder().log();
      expect(drift.upQueries.map((q) => q.query)).toEqual([]);
    } finally {
      await Promise.all(others.map((other) => other.destroy()));
    }
  });

  async function tables(): Promise<string[]> {
    const sql =
      kind.name === 'SQLite'
        ? `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'webhook%' ORDER BY name`
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1';
    return (await dataSource.query<{ name: string }[]>(sql)).map((row) => row.name);
  }
});
