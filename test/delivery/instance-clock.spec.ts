import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection } from 'mysql2/promise';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { newId } from '../../src/common/ids.js';
import { Database } from '../../src/database/database.js';
import { InstanceRepository } from '../../src/delivery/recover/instance.repository.js';
import { createDataSource, dataSourceOptions } from '../../src/schema/data-source.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';
import { hasMariadb, PrivateMariadb } from '../torture/support/mariadb.js';

(hasMariadb ? describe : describe.skip)('A server whose zone has daylight saving', () => {
  let mariadb: PrivateMariadb;
  let dataSource: DataSource;
  let instances: InstanceRepository;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start({ TZ: 'America/New_York' });
    // One connection, so that its clock can be set.
    const options = { ...dataSourceOptions(mariadb.url), extra: { connectionLimit: 1 } } as DataSourceOptions;
    dataSource = await createDataSource(options).initialize();
    await dataSource.runMigrations();
    instances = new InstanceRepository(new Database(dataSource));
  }, 90_000);
  afterAll(async () => {
    await dataSource?.destroy();
    await mariadb?.close();
  });

  it.each([
    ['the hour that comes twice, the first time', '2026-11-01T05:30:00Z'],
    ['the hour that comes twice, the second time', '2026-11-01T06:30:00Z'],
    ['the hour that is left out', '2027-03-14T07:30:00Z'],
    ['the last day of 32 bits', '2038-01-18T12:00:00Z'],
  ])('keeps heartbeats by the same clock in %s', async (_, time) => {
    const id = newId();
    await dataSource.query('SET timestamp = ?', [Date.parse(time) / 1000]);
    await instances.register(id);
    expect(await instances.others('')).toEqual([{ id, heartbeatAt: Date.parse(time), ageMs: 0 }]);
    expect(await instances.heartbeat(id)).toBe(true);
    await instances.remove(id);
  });
});

describe.each(databases.filter(({ name }) => name === 'MariaDB'))(
  'While the clock of $name steps',
  (kind) => {
    let database: TestDatabase;
    let service: TestService;
    let other: Connection;
    const HOUR = 3_600_000;

    beforeAll(async () => {
      database = await kind.create();
      service = await startService(database.url, { INSTANCE_TIMEOUT_SECONDS: '3' });
      other = await createConnection(database.url);
    });
    afterAll(async () => {
      await other.end();
      await service.stop();
      await database.drop();
    });

    const isListed = async (id: string) => {
      const [rows] = await other.query('SELECT id FROM webhook_instance WHERE id = ?', [id]);
      return (rows as unknown[]).length > 0;
    };
    const beat = (id: string, at: number) =>
      other.query('REPLACE INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, ?, ?)', [
        id,
        at,
        at,
      ]);

    it.each([
      ['forward', -HOUR],
      ['back', HOUR],
    ])(
      'an hour %s, who beats is alive, and who does not is found dead in time',
      async (_, offset) => {
        const id = newId();
        const startedAt = Date.now();
        await until(
          async () => {
            await beat(id, Date.now() + offset);
            await new Promise((resolve) => setImmediate(resolve));
            expect(await isListed(id)).toBe(true);
            const next = Date.now() + 300;
            while (Date.now() < next) {
              if (!(await isListed(id))) throw new Error('A living instance was taken for dead.');
            }
            return Date.now() - startedAt > 5000;
          },
          { withinMs: 8000 },
        );
        const diedAt = Date.now();
        await until(async () => !(await isListed(id)), { withinMs: 6000, what: 'the death' });
        expect(Date.now() - diedAt).toBeGreaterThan(2000);
      },
      20_000,
    );

    it('what was dead before it began is found at the start', async () => {
      const id = newId();
      await beat(id, Date.now() - 60_000);
      const second = await startService(database.url, { INSTANCE_TIMEOUT_SECONDS: '30' });
      expect(await isListed(id)).toBe(false);
      await second.stop();
    });
  },
);
