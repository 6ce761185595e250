import { beforeEach, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Database } from '../../../src/store/database.js';
import { useUsualCallDeadline } from '../../support/call-deadline.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { type FaultyProxy, proxied } from '../../support/proxy.js';
import { PrivateMariadb } from '../support/mariadb.js';

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
  useUsualCallDeadline();
  let proxy: FaultyProxy;
  let dataSource: DataSource;
  let database: Database;

  beforeEach(async () => {
    const through = await proxied(testDatabase);
    proxy = through.proxy;
    dataSource = await openThrough(through.url);
    testDatabase.defer(() => dataSource.destroy());
    database = new Database(dataSource);
    await dataSource.query('CREATE TABLE t (value INTEGER NOT NULL PRIMARY KEY)');
  });

  const write = 'INSERT INTO t VALUES (1)';
  const connections = async () =>
    (await onAll(dataSource, 'SELECT CONNECTION_ID() AS value')).sort() as number[];
  const failing = async (errno: number, work: () => Promise<unknown>, at = 'INSERT') => {
    proxy.answerWith(at, errno);
    await expect(work()).rejects.toThrow();
    proxy.heal();
  };

  const writeInOne = () => database.transaction((manager) => manager.query(write));
  it.each<[where: string, errno: number, work: () => Promise<unknown>, at?: string]>([
    ['1290 outside of a transaction', 1290, () => database.query(write)],
    ['1836 in one of the service', 1836, writeInOne],
    ['1290 at the COMMIT of one of the service', 1290, writeInOne, 'COMMIT'],
    ['1792 in one of the host', 1792, () => dataSource.transaction((manager) => manager.query(write))],
    ['3100 in a statement of the host', 3100, () => dataSource.query(write)],
    ['1047 in a statement of the host', 1047, () => dataSource.query(write)],
  ])(
    'are all made anew after %s, those that only read as well',
    async (_where, errno, work, at = 'INSERT') => {
      const before = await connections();
      await failing(errno, work, at);
      const after = await connections();
      expect(before.filter((id) => after.includes(id))).toEqual([]);
      expect(await dataSource.query('SELECT * FROM t')).toEqual([]);
    },
  );

  it.each([
    ['a conflict', 3101],
    ['a deadlock', 1213],
    ['a duplicate', 1062],
  ])('are kept after %s', async (_what, errno) => {
    const before = await connections();
    await failing(errno, () => dataSource.query(write));
    expect(await connections()).toEqual(before);
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
    let now = performance.now() + 1000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    testDatabase.defer(() => clock.mockRestore());
    await failing(1290, () => dataSource.query(write));
    const young = await connections();
    now += 999;
    await failing(1290, () => dataSource.query(write));
    expect(await connections()).toEqual(young);
    now += 1;
    await failing(1290, () => dataSource.query(write));
    expect((await connections()).filter((id) => young.includes(id))).toEqual([]);
  });
});

describeOnMariadb('a failover of $name', (kind) => {
  const next = useDatabase(kind);
  useUsualCallDeadline();

  it('is followed by reads and writes as soon as a write was refused', async () => {
    const former = await PrivateMariadb.start();
    next.defer(() => former.close());
    const { pathname, port } = new URL(next.url);
    for (const sql of [
      `CREATE DATABASE ${pathname.slice(1)}`,
      `CREATE USER operator IDENTIFIED BY ''`,
      'GRANT ALL ON *.* TO operator',
      `REVOKE SUPER, READ ONLY ADMIN ON *.* FROM root@localhost`,
    ])
      await former.query(sql);
    const { proxy, url } = await proxied(next, Object.assign(new URL(former.url), { pathname }).href);
    const dataSource = await openThrough(url);
    next.defer(() => dataSource.destroy());
    const database = new Database(dataSource);
    const ports = async () => new Set(await onAll(dataSource, 'SELECT @@port AS value'));

    await database.query('CREATE TABLE t (value INTEGER)');
    expect(await ports()).toEqual(new Set([Number(new URL(former.url).port)]));
    await former.query('SET GLOBAL read_only = 1', '', 'operator');
    const nextPort = Number(port || 3306);
    proxy.leadTo(nextPort);
    await expect(database.query('INSERT INTO t VALUES (1)')).rejects.toMatchObject({ errno: 1290 });
    expect(await ports()).toEqual(new Set([nextPort]));
    await database.query('CREATE TABLE t (value INTEGER)');
    await database.query('INSERT INTO t VALUES (1)');
  });
});
