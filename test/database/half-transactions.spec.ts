import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database } from '../../src/store/database.js';
import { describeOnMariadb } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { FaultyProxy } from '../support/proxy.js';

describeOnMariadb('half a transaction on $name', (kind) => {
  const testDatabase = useDatabase(kind);
  let proxy: FaultyProxy;
  let dataSource: DataSource;
  let database: Database;

  beforeAll(async () => {
    const through = await FaultyProxy.before(testDatabase.url);
    proxy = through.proxy;
    // One connection, so that the next transaction is on the same one if it is pooled.
    dataSource = new DataSource({ type: 'mysql', url: through.url, extra: { connectionLimit: 1 } });
    await dataSource.initialize();
    database = new Database(dataSource);
    await dataSource.query('CREATE TABLE half (value INTEGER NOT NULL PRIMARY KEY)');
  });
  afterEach(() => proxy.heal());
  afterAll(async () => {
    await dataSource?.destroy();
    await proxy?.close();
  });

  const half = 'INSERT INTO half VALUES (1)';
  const connectionId = async () => {
    const [row] = await dataSource.query<{ id: string }[]>('SELECT CONNECTION_ID() AS id');
    return row?.id;
  };
  const values = async () =>
    (await dataSource.query<{ value: number }[]>('SELECT value FROM half ORDER BY value')).map(
      ({ value }) => value,
    );
  const fail = async () => {
    throw new Error('a bug');
  };

  it.each([
    ['of the service', () => database.transaction((manager) => manager.query(half).then(fail))],
    ['of the host', () => dataSource.transaction((manager) => manager.query(half).then(fail))],
    [
      'of the host with a savepoint',
      () => dataSource.transaction((manager) => manager.query(half).then(() => manager.transaction(fail))),
    ],
  ])('is never committed by the next one, if ROLLBACK fails: %s', async (_whose, begin) => {
    const before = await connectionId();
    proxy.answerWith('ROLLBACK', 1047);
    await expect(begin()).rejects.toThrow('a bug');
    proxy.heal();
    await database.transaction((manager) => manager.query('INSERT INTO half VALUES (2)'));
    expect(await values()).toEqual([2]);
    expect(await connectionId()).not.toBe(before);
    await dataSource.query('DELETE FROM half');
  });

  it('is no reason to drop a connection whose ROLLBACK succeeds', async () => {
    const before = await connectionId();
    await expect(database.transaction(fail)).rejects.toThrow('a bug');
    expect(await connectionId()).toBe(before);
  });
});
