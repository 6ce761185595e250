import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { OutcomeUnknownError } from '../../src/platform/database-error.js';
import { Database } from '../../src/store/database.js';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { type FaultyProxy, proxied } from '../support/proxy.js';

// As the nodes of a cluster answer when another node was first, or when they lose their group.
describeOnMariadb('a transaction on $name', (kind) => {
  const testDatabase = useDatabase(kind);
  let proxy: FaultyProxy;
  let dataSource: DataSource;
  let database: Database;
  let runs = 0;

  beforeAll(async () => {
    const through = await proxied(testDatabase);
    proxy = through.proxy;
    // One connection, so that the next transaction is on the same one if it is pooled.
    dataSource = new DataSource({ type: 'mysql', url: through.url, extra: { connectionLimit: 1 } });
    await dataSource.initialize();
    testDatabase.defer(() => dataSource.destroy());
    database = new Database(dataSource);
    await dataSource.query('CREATE TABLE counted (value INTEGER NOT NULL)');
  });
  afterEach(async () => {
    proxy.heal();
    runs = 0;
    await dataSource.query('DELETE FROM counted');
  });

  const one = 'INSERT INTO counted VALUES (1)';
  const insert = () =>
    database.transaction((manager) => {
      runs++;
      return manager.query(one);
    });
  const stored = async () => {
    const rows = await dataSource.query<{ value: number }[]>('SELECT value FROM counted ORDER BY value');
    return rows.map(({ value }) => value);
  };

  it.each([1213, 1020])('is run again if COMMIT is refused with %i, and stored once', async (errno) => {
    proxy.answerWith('COMMIT', errno, 2);
    await insert();
    expect({ runs, stored: await stored() }).toEqual({ runs: 3, stored: [1] });
  });

  it.each([1180, 3101])('may be stored if it is refused with %i, and is not run again', async (errno) => {
    proxy.answerWith('COMMIT', errno);
    await expect(insert()).rejects.toThrow(OutcomeUnknownError);
    expect(runs).toBe(1);
  });

  it('is not stored if it is refused with 1047', async () => {
    proxy.answerWith('COMMIT', 1047);
    await expect(insert()).rejects.toMatchObject({ errno: 1047 });
    proxy.heal();
    expect({ runs, stored: await stored() }).toEqual({ runs: 1, stored: [] });
  });

  it.each<[how: string, insertOne: () => Promise<unknown>]>([
    ['as SQL', () => database.query(one)],
    ['through the manager', () => database.run((manager) => manager.query(one))],
  ])('is run again when it is a single statement, %s', async (_how, insertOne) => {
    proxy.answerWith('INSERT', 1213, 2);
    await insertOne();
    expect(await stored()).toEqual([1]);
  });

  describe('that fails', () => {
    const connectionId = async () => {
      const [row] = await dataSource.query<{ id: string }[]>('SELECT CONNECTION_ID() AS id');
      return row?.id;
    };
    const fail = async () => {
      throw new Error('a bug');
    };

    it.each([
      ['of the service', () => database.transaction((manager) => manager.query(one).then(fail))],
      ['of the host', () => dataSource.transaction((manager) => manager.query(one).then(fail))],
      [
        'of the host with a savepoint',
        () => dataSource.transaction((manager) => manager.query(one).then(() => manager.transaction(fail))),
      ],
    ])('is never committed by half with the next one, if ROLLBACK fails: %s', async (_whose, begin) => {
      const before = await connectionId();
      proxy.answerWith('ROLLBACK', 1047);
      await expect(begin()).rejects.toThrow('a bug');
      proxy.heal();
      await database.transaction((manager) => manager.query('INSERT INTO counted VALUES (2)'));
      expect(await stored()).toEqual([2]);
      expect(await connectionId()).not.toBe(before);
    });

    it('is no reason to drop a connection whose ROLLBACK succeeds', async () => {
      const before = await connectionId();
      await expect(database.transaction(fail)).rejects.toThrow('a bug');
      expect(await connectionId()).toBe(before);
    });
  });
});
