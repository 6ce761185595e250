import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database } from '../../../src/store/database.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { FaultyProxy } from '../../support/proxy.js';
import { until } from '../../support/until.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';

const LIMIT = 3;

async function openThrough(url: string): Promise<DataSource> {
  const dataSource = new DataSource({ type: 'mysql', url, extra: { connectionLimit: LIMIT } });
  return dataSource.initialize();
}

/** What a statement answers on each connection of the pool, all of which it takes at once. */
async function onAll(dataSource: DataSource, sql: string): Promise<unknown[]> {
  const runners = Array.from({ length: LIMIT }, () => dataSource.createQueryRunner());
  const answers = await Promise.all(runners.map((runner) => runner.query(sql)));
  await Promise.all(runners.map((runner) => runner.release()));
  return answers.map(([row]) => Number(row.value));
}

describeOnMariadb('connections to a node of $name that takes no writes any more', (kind) => {
  const testDatabase = useDatabase(kind, 'test');
  let proxy: FaultyProxy;
  let dataSource: DataSource;
  let database: Database;

  beforeEach(async () => {
    const through = await FaultyProxy.before(testDatabase.url);
    proxy = through.proxy;
    dataSource = await openThrough(through.url);
    database = new Database(dataSource);
    await dataSource.query('CREATE TABLE t (value INTEGER NOT NULL PRIMARY KEY)');
  });
  afterEach(async () => {
    await dataSource?.destroy();
    await proxy?.close();
  });

  const write = 'INSERT INTO t VALUES (1)';
  const connections = async () =>
    (await onAll(dataSource, 'SELECT CONNECTION_ID() AS value')).sort() as number[];
  const failing = async (errno: number, work: () => Promise<unknown>) => {
    proxy.answerWith('INSERT', errno);
    await expect(work()).rejects.toThrow();
    proxy.heal();
  };

  it.each([
    ['1290 outside of a transaction', 1290, () => database.query(write)],
    ['1836 in one of the service', 1836, () => database.transaction((manager) => manager.query(write))],
    ['1792 in one of the host', 1792, () => dataSource.transaction((manager) => manager.query(write))],
    ['3100 in a statement of the host', 3100, () => dataSource.query(write)],
    ['1047 in a statement of the host', 1047, () => dataSource.query(write)],
  ])('are all made anew after %s, those that only read as well', async (_where, errno, work) => {
    const before = await connections();
    await failing(errno, work);
    const after = await connections();
    expect(before.filter((id) => after.includes(id))).toEqual([]);
  });

  it.each([
    ['a conflict', 3101],
    ['a deadlock', 1213],
    ['a duplicate', 1062],
  ])('are kept after %s', async (_what, errno) => {
    const before = await connections();
    await failing(errno, () => dataSource.query(write));
    expect(await connections()).toEqual(before);
  });

  it('are made anew after a COMMIT that was refused', async () => {
    const before = await connections();
    proxy.answerWith('COMMIT', 1290);
    await expect(database.transaction((manager) => manager.query(write))).rejects.toThrow();
    proxy.heal();
    const after = await connections();
    expect(before.filter((id) => after.includes(id))).toEqual([]);
    expect(await dataSource.query('SELECT * FROM t')).toEqual([]);
  });

  it('end when they are released, and what waits for one gets a new one', async () => {
    const held = Array.from({ length: LIMIT - 1 }, () => dataSource.createQueryRunner());
    const ids = await Promise.all(held.map((runner) => runner.query('SELECT CONNECTION_ID() AS value')));
    await failing(1290, () => dataSource.query(write));
    // In use, they go on as before.
    for (const [index, runner] of held.entries())
      expect(await runner.query('SELECT CONNECTION_ID() AS value')).toEqual(ids[index]);
    const waiting = connections();
    for (const runner of held) await runner.release();
    const after = await waiting;
    expect(ids.map(([row]) => Number(row.value)).filter((id) => after.includes(id))).toEqual([]);
  });

  it('are kept for a second, while the address still leads to it', async () => {
    await failing(1290, () => dataSource.query(write));
    const young = await connections();
    for (let again = 0; again < 3; again++) await failing(1290, () => dataSource.query(write));
    expect(await connections()).toEqual(young);
    await until(
      async () => {
        await failing(1290, () => dataSource.query(write));
        return (await connections()).every((id) => !young.includes(id));
      },
      { what: 'new connections' },
    );
  });
});

(hasMariadb ? describe : describe.skip)('a failover', () => {
  describeOnMariadb('of $name', (kind) => {
    const next = useDatabase(kind);
    let former: PrivateMariadb;
    let proxy: FaultyProxy;
    let dataSource: DataSource;
    let database: Database;
    let nextPort: number;

    beforeAll(async () => {
      former = await PrivateMariadb.start();
      const { pathname, port } = new URL(next.url);
      for (const sql of [
        `CREATE DATABASE ${pathname.slice(1)}`,
        `CREATE USER operator IDENTIFIED BY ''`,
        'GRANT ALL ON *.* TO operator',
        `REVOKE SUPER, READ ONLY ADMIN ON *.* FROM root@localhost`,
      ])
        await former.query(sql);
      const formerUrl = Object.assign(new URL(former.url), { pathname }).href;
      const through = await FaultyProxy.before(formerUrl);
      proxy = through.proxy;
      dataSource = await openThrough(through.url);
      database = new Database(dataSource);
      nextPort = Number(port || 3306);
    }, 90_000);
    afterAll(async () => {
      await dataSource?.destroy();
      await proxy?.close();
      await former?.close();
    });

    it('is followed by reads and writes as soon as a write was refused', async () => {
      await database.query('CREATE TABLE t (value INTEGER)');
      expect(new Set(await onAll(dataSource, 'SELECT @@port AS value'))).toEqual(
        new Set([Number(new URL(former.url).port)]),
      );
      await former.query('SET GLOBAL read_only = 1', '', 'operator');
      proxy.leadTo(nextPort);
      await expect(database.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errno: 1290 });
      expect(new Set(await onAll(dataSource, 'SELECT @@port AS value'))).toEqual(new Set([nextPort]));
      await database.query('CREATE TABLE t (value INTEGER)');
      await database.query('INSERT INTO t VALUES (1)');
    });
  });
});
