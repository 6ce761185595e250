import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource, EntityManager } from 'typeorm';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';

describe.each(databases)('transactions on $name', (kind) => {
  const testDatabase = useDatabase(kind);
  let dataSource: DataSource;
  let database: Database;

  beforeAll(async () => {
    dataSource = await createDataSource(dataSourceOptions(testDatabase.url)).initialize();
    testDatabase.defer(() => dataSource.destroy());
    database = new Database(dataSource);
    // Without the others: the migrations have not run yet.
    await dataSource.query('CREATE TABLE webhook_lock (number INTEGER PRIMARY KEY, uses INTEGER NOT NULL)');
    await dataSource.query('CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)');
  });
  beforeEach(async () => {
    await dataSource.query('DELETE FROM counter');
    await dataSource.query('INSERT INTO counter (id, value) VALUES (1, 0), (2, 0)');
  });

  const add = (manager: EntityManager, id: number) =>
    manager.query('UPDATE counter SET value = value + 1 WHERE id = ?', [id]);
  async function value(id: number, manager = dataSource.manager): Promise<number> {
    const [row] = await manager.query<{ value: number }[]>('SELECT value FROM counter WHERE id = ?', [id]);
    return row?.value ?? -1;
  }

  it('run again when they are the victim of a deadlock', async () => {
    let runs = 0;
    const firstSteps = new Set<number>();
    const both = (first: number, second: number) =>
      database.transaction(async (manager) => {
        runs++;
        await add(manager, first);
        firstSteps.add(first);
        // On SQLite the other transaction has not begun, so it never waits for this one.
        if (kind.name === 'MariaDB') await until(() => firstSteps.size === 2);
        await add(manager, second);
      });
    await Promise.all([both(1, 2), both(2, 1)]);
    expect([await value(1), await value(2)]).toEqual([2, 2]);
    expect(runs).toBe(kind.name === 'MariaDB' ? 3 : 2);
  });

  it.each([
    ['again when they lose, at most eight times', 8, { errno: 1213 }],
    ['only once when they fail otherwise', 1, {}],
  ])('run %s', async (_what, times, code) => {
    let runs = 0;
    const failed = database.transaction(async (manager) => {
      runs++;
      await add(manager, 1);
      throw Object.assign(new Error('It failed'), code);
    });
    await expect(failed).rejects.toThrow('It failed');
    expect(runs).toBe(times);
    expect(await value(1)).toBe(0);
  });

  it('with a lock enforce a rule that no index can', async () => {
    const increment = () =>
      database.transaction(async (manager) => {
        await database.lock(manager, 'counter');
        const before = await value(1, manager);
        await new Promise((resolve) => setImmediate(resolve));
        if (before < 5) await manager.query('UPDATE counter SET value = ? WHERE id = 1', [before + 1]);
        return before;
      });
    const seen = await Promise.all(Array.from({ length: 25 }, increment));
    expect(seen.sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, ...Array(20).fill(5)]);
  });

  it('with a lock release it when they fail', async () => {
    const fail = () =>
      database.transaction(async (manager) => {
        await database.lock(manager, 'counter');
        await add(manager, 1);
        throw new Error('a bug');
      });
    for (let i = 0; i < 12; i++) await expect(fail()).rejects.toThrow('a bug');
    await database.transaction((manager) => database.lock(manager, 'counter'));
    expect(await value(1)).toBe(0);
  });

  it('report whether migrations are pending', async () => {
    expect(await database.hasPendingMigrations(5000)).toBe(true);
    await dataSource.query('DROP TABLE webhook_lock');
    await dataSource.runMigrations();
    expect(await database.hasPendingMigrations(5000)).toBe(false);
    await dataSource.undoLastMigration();
    expect(await database.hasPendingMigrations(5000)).toBe(true);
  });
});
