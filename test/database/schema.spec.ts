import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource, QueryRunner } from 'typeorm';
import { webhookMigrations } from '../../migrations/index.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { databases, tablesOf } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';

/** The statements that instances of the version before neither see nor need. Columns must do without a value from them. */
const ADDITIVE =
  /^\s*(CREATE TABLE|CREATE (UNIQUE )?INDEX|ALTER TABLE \S+ ADD INDEX|(ALTER TABLE \S+ )?ADD COLUMN .*(\bDEFAULT|(?<!NOT )NULL))\b/is;

describe.each(databases)('the migrations on $name', (kind) => {
  const database = useDatabase(kind, 'test');
  let dataSource: DataSource;

  const open = async (url = database.url) => {
    const opened = await createDataSource(dataSourceOptions(url)).initialize();
    database.defer(() => opened.destroy());
    return opened;
  };
  beforeEach(async () => {
    // TypeORM reads column defaults of MariaDB correctly only under this type.
    dataSource = await open(database.url.replace('mysql:', 'mariadb:'));
  });

  /** What TypeORM would change so that the tables are as the entities describe them. */
  const drift = async () =>
    (await dataSource.driver.createSchemaBuilder().log()).upQueries.map(({ query }) => query);

  it('make the schema that the entities describe, and can all be reverted, and run again', async () => {
    await dataSource.runMigrations();
    expect(await drift()).toEqual([]);
    for (const _ of webhookMigrations) await dataSource.undoLastMigration();
    expect(await tablesOf(dataSource)).toEqual(['webhook_migration']);
    await dataSource.runMigrations();
    expect(await drift()).toEqual([]);
  });

  // SQLite's database belongs to one process.
  const together = kind.name === 'SQLite' ? it.skip : it;
  together('run in processes that start together, each of them once', async () => {
    const others = await Promise.all([open(), open()]);
    await Promise.all([dataSource, ...others].map((one) => one.runMigrations()));
    const recorded = await dataSource.query<{ name: string }[]>('SELECT name FROM webhook_migration');
    expect(recorded.map(({ name }) => name).sort()).toEqual(webhookMigrations.map(({ name }) => name).sort());
    expect(await drift()).toEqual([]);
  });
});

describe.each(['mysql', 'better-sqlite3'])('the migrations on %s', (type) => {
  it.each(webhookMigrations.map((Migration) => [Migration.name, Migration] as const))(
    'can run while instances of the version before are at work: %s',
    async (_name, Migration) => {
      const statements: string[] = [];
      const runner = {
        dataSource: { options: { type }, hasMetadata: () => false },
        query: async (sql: string) => void statements.push(sql),
      };
      await new Migration().up(runner as unknown as QueryRunner);
      expect(statements.length).toBeGreaterThan(0);
      const changes = statements.flatMap((sql) => sql.split(/,\s*(?=ADD )/));
      expect(changes.filter((sql) => !ADDITIVE.test(sql))).toEqual([]);
    },
  );

  it('have higher numbers than those of the development', () => {
    const numbers = webhookMigrations.map(({ name }) => Number(name.slice(-13)));
    const last = numbers.indexOf(1795219280000);
    expect(last).toBeGreaterThan(0);
    expect(Math.min(Number.POSITIVE_INFINITY, ...numbers.slice(last + 1))).toBeGreaterThan(1795219280000);
  });
});
