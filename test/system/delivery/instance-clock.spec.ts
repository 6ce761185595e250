import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { InstanceRepository } from '../../../src/engine/instance/instance.repository.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { describeOnMariadb } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { until } from '../../support/until.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';
import { useEarlyClock } from './early-clock.js';

(hasMariadb ? describe : describe.skip)('a database server in a time zone with daylight saving', () => {
  let mariadb: PrivateMariadb;
  let dataSource: DataSource;
  let instances: InstanceRepository;

  beforeAll(async () => {
    mariadb = await PrivateMariadb.start({ TZ: 'America/New_York' });
    // A single connection, because SET timestamp holds for one.
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
    ['the repeated hour, the first time', '2026-11-01T05:30:00Z'],
    ['the repeated hour, the second time', '2026-11-01T06:30:00Z'],
    ['the skipped hour', '2027-03-14T07:30:00Z'],
    ['the last day of 32-bit time', '2038-01-18T12:00:00Z'],
  ])('stores heartbeats in UTC during %s', async (_, time) => {
    const id = newId();
    await dataSource.query('SET timestamp = ?', [Date.parse(time) / 1000]);
    await instances.register({ id });
    expect(await instances.others('')).toEqual([{ id, heartbeatAt: Date.parse(time), process: null }]);
    expect(await instances.heartbeat(id)).toBe('listed');
    await instances.remove(id);
  });
});

describeOnMariadb('when the clock of $name is set', (kind) => {
  const HOUR_MS = 3_600_000;
  const TIMEOUT_MS = 3000;
  /** Time between two heartbeats of the service. */
  const BEAT_MS = TIMEOUT_MS / 4.5;
  const clock = useEarlyClock();
  const { database } = useService(kind, { INSTANCE_TIMEOUT_SECONDS: String(TIMEOUT_MS / 1000) });
  let other: Connection;

  beforeAll(async () => {
    other = await createConnection(database.url);
  });
  afterAll(() => other.end());

  async function listed(): Promise<Map<string, number>> {
    const [rows] = await other.query<RowDataPacket[]>('SELECT id, heartbeat_at FROM webhook_instance');
    return new Map(rows.map(({ id, heartbeat_at: at }) => [id, Number(at)]));
  }
  const beat = (id: string, at: number) =>
    other.query('REPLACE INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, ?, ?)', [
      id,
      at,
      at,
    ]);
  const offsets = new Map([
    [newId(), -HOUR_MS],
    [newId(), HOUR_MS],
  ]);
  const ids = [...offsets.keys()];

  /** Lets time pass until the service's next heartbeat; meanwhile it checks the other instances twice. */
  async function untilNextBeat(): Promise<void> {
    const ownBeat = async () => [...(await listed())].find(([id]) => !ids.includes(id))?.[1];
    const before = await ownBeat();
    const isNext = async () => {
      clock.advance(BEAT_MS / 8);
      return (await ownBeat()) !== before;
    };
    await until(isNext, { what: 'a heartbeat' });
  }

  const areListed = async () => {
    const all = await listed();
    return ids.filter((id) => all.has(id));
  };

  it('keeps an instance that sends heartbeats, and removes one that stops within twice the timeout', async () => {
    const startedAt = clock.monotonic();
    while (clock.monotonic() - startedAt < 3 * TIMEOUT_MS) {
      for (const [id, offset] of offsets) await beat(id, clock.now() + offset);
      await untilNextBeat();
      expect(await areListed()).toEqual(ids);
    }
    const stoppedAt = clock.monotonic();
    while ((await areListed()).length > 0) {
      await untilNextBeat();
      expect(clock.monotonic() - stoppedAt).toBeLessThan(2 * TIMEOUT_MS);
    }
    // Their last heartbeat was up to one interval earlier.
    expect(clock.monotonic() - stoppedAt).toBeGreaterThan(TIMEOUT_MS - 2 * BEAT_MS);
  });

  it('takes nobody for dead at its start, however old a heartbeat is by then', async () => {
    const id = newId();
    await beat(id, Date.now() - 60_000);
    await database.start({ INSTANCE_TIMEOUT_SECONDS: '30' });
    expect((await listed()).has(id)).toBe(true);
  });
});
