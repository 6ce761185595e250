import { existsSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { opened, warningsOf } from '../../database/server.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useDatabase } from '../../support/fixture.js';
import { type FaultyProxy, proxied } from '../../support/proxy.js';
import { until } from '../../support/until.js';
import { freePort } from '../support/free-port.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';
import { ENCRYPTION_KEYS, production, spawnService, startProcess } from '../support/process.js';

const GALERA = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'].find(existsSync);

describeOnMariadb('a faulty server of $name', (kind) => {
  const testDatabase = useDatabase(kind);
  let proxy: FaultyProxy;
  let url: string;
  let dataSource: DataSource;

  beforeEach(async () => {
    ({ proxy, url } = await proxied(testDatabase));
    dataSource = await opened(url);
    testDatabase.defer(() => dataSource.destroy());
    testDatabase.defer(() => proxy.heal());
  });

  const rows = (sql: string) => dataSource.query<unknown[]>(sql);

  it('is warned of if it ignores SKIP LOCKED, and left as it was', async () => {
    proxy.ignore('SKIP LOCKED');
    expect(await warningsOf(dataSource)).toEqual([
      expect.stringMatching(/^The database server does not skip rows that are locked/),
    ]);
    proxy.heal();
    expect(await warningsOf(dataSource)).toEqual([]);
    // The row of the look is free, and no connection keeps the short timeout of it.
    expect(await rows('SELECT number FROM webhook_lock FOR UPDATE NOWAIT')).toHaveLength(1);
    const runners = Array.from({ length: 10 }, () => dataSource.createQueryRunner());
    const timeouts = await Promise.all(
      runners.map((runner) => runner.query('SELECT @@innodb_lock_wait_timeout AS seconds')),
    );
    expect(timeouts.flat().filter(({ seconds }) => Number(seconds) === 1)).toEqual([]);
    for (const runner of runners) await runner.release();
  });

  it('does not delay a start for long if it hangs', async () => {
    proxy.freeze();
    const begun = performance.now();
    expect(await warningsOf(dataSource)).toEqual([]);
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  it('is refused by the service if it does not know JSON_TABLE', async () => {
    proxy.answerWith('SELECT COUNT(*) AS count FROM JSON_TABLE', 1064);
    const service = await spawnService({ DATABASE_URL: url, ENCRYPTION_KEYS });
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(service.output).toMatch(
      /^The database server cannot be used: it does not know JSON_TABLE.*Use MySQL from 8\.0\.16 or MariaDB from 10\.6\.\n$/,
    );
  });
});

(hasMariadb ? describe : describe.skip)('a server of MariaDB that is set up badly', () => {
  let mariadb: PrivateMariadb;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start({}, [
      '--innodb-flush-log-at-trx-commit=2',
      '--log-bin=bin',
      '--sync-binlog=0',
      '--sql-mode=',
    ]);
    await mariadb.query('CREATE USER app');
    await mariadb.query('GRANT ALL ON torture.* TO app');
  });
  afterAll(() => mariadb?.close());

  const SAID = [/innodb_flush_log_at_trx_commit is 2/, /sync_binlog is 0/, /STRICT_TRANS_TABLES/];

  it('is warned of in the log of the service, a JSON object a line', async () => {
    await (await opened(mariadb.url)).destroy();
    const service = await startProcess({ ...production, DATABASE_URL: mariadb.url });
    await service.end('SIGTERM');
    const lines = service.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const warned = lines.filter(({ level }) => level === 40);
    expect(warned.map(({ msg }) => msg)).toEqual(
      SAID.map((said) => expect.stringMatching(new RegExp(`^The database server .*${said.source}`))),
    );
    // Nest's own log of modules and routes stays out of it.
    expect(lines.filter(({ msg }) => /mapped|initialized/i.test(msg))).toEqual([]);
  });

  it('is told from a replica, for a user with rights over it and for one without', async () => {
    await mariadb.query('SET GLOBAL read_only = 1');
    for (const [user, reason] of [
      ['root', /is read-only \(read_only\)/],
      ['app', /takes no writes \(read_only\)/],
    ] as const) {
      const url = mariadb.url.replace('//root@', `//${user}@`);
      const dataSource = await createDataSource(dataSourceOptions(url)).initialize();
      const said = [reason, ...SAID].map((pattern) => expect.stringMatching(pattern));
      expect(await warningsOf(dataSource)).toEqual(said);
      await dataSource.destroy();
    }
    await mariadb.query('SET GLOBAL read_only = 0');
  });
});

(hasMariadb && GALERA ? describe : describe.skip)('a node of Galera', () => {
  let mariadb: PrivateMariadb;
  let dataSource: DataSource;

  beforeAll(async () => {
    const port = await freePort();
    mariadb = await PrivateMariadb.start({}, [
      '--wsrep-on=ON',
      `--wsrep-provider=${GALERA}`,
      '--wsrep-cluster-address=gcomm://',
      `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${port}`,
      '--wsrep-node-address=127.0.0.1',
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
    ]);
    dataSource = await opened(mariadb.url);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await mariadb?.close();
  });

  it('is warned of while its reads do not wait for others, and once it has left its cluster', async () => {
    expect(await warningsOf(dataSource)).toEqual([
      expect.stringMatching(/wsrep_sync_wait is 0\)\. Set wsrep_sync_wait = 7/),
    ]);
    await mariadb.query(`SET GLOBAL wsrep_cluster_address = ''`, '');
    const [warned] = await until(
      async () => {
        const warnings = await warningsOf(dataSource);
        return warnings[0]?.includes('working cluster') ? warnings : null;
      },
      { what: 'a node without a cluster' },
    );
    expect(warned).toMatch(/no part of a working cluster \(wsrep_ready OFF, .*restore the quorum/);
  });
});
