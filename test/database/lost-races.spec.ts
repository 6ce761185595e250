import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { OutcomeUnknownError } from '../../src/platform/database-error.js';
import { Database } from '../../src/store/database.js';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { FaultyProxy } from '../support/proxy.js';

// As the nodes of a cluster answer when another node was first, or when they lose their group.
describeOnMariadb('a commit that $name refuses', (kind) => {
  const testDatabase = useDatabase(kind);
  let proxy: FaultyProxy;
  let dataSource: DataSource;
  let database: Database;
  let runs = 0;

  beforeAll(async () => {
    const through = await FaultyProxy.before(testDatabase.url);
    proxy = through.proxy;
    dataSource = new DataSource({ type: 'mysql', url: through.url });
    await dataSource.initialize();
    database = new Database(dataSource);
    await dataSource.query('CREATE TABLE counted (value INTEGER NOT NULL)');
  });
  afterEach(async () => {
    proxy.heal();
    runs = 0;
    await dataSource.query('DELETE FROM counted');
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await proxy?.close();
  });

  const insert = () =>
    database.transaction((manager) => {
      runs++;
      return database.query('INSERT INTO counted VALUES (1)', [], manager);
    });
  const stored = async () => (await dataSource.query<unknown[]>('SELECT value FROM counted')).length;

  it.each([1213, 1020])('with %i is run again, and stored once', async (errno) => {
    proxy.answerWith('COMMIT', errno, 2);
    await insert();
    expect({ runs, stored: await stored() }).toEqual({ runs: 3, stored: 1 });
  });

  it.each([1180, 3101])('with %i may be stored, and is not run again', async (errno) => {
    proxy.answerWith('COMMIT', errno);
    await expect(insert()).rejects.toThrow(OutcomeUnknownError);
    expect(runs).toBe(1);
  });

  it('with 1047 is not stored', async () => {
    proxy.answerWith('COMMIT', 1047);
    await expect(insert()).rejects.toMatchObject({ errno: 1047 });
    proxy.heal();
    expect({ runs, stored: await stored() }).toEqual({ runs: 1, stored: 0 });
  });

  it.each<[how: string, insert: (sql: string) => Promise<unknown>]>([
    ['as SQL', (sql) => database.query(sql)],
    ['through the manager', (sql) => database.run((manager) => manager.query(sql))],
  ])('is run again when it is a single statement, %s', async (_how, insertOne) => {
    proxy.answerWith('INSERT', 1213, 2);
    await insertOne('INSERT INTO counted VALUES (2)');
    expect(await stored()).toBe(1);
  });
});
