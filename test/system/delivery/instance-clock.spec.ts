import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { InstanceRepository } from '../../../src/engine/instance/instance.repository.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../../src/store/schema/data-source.js';
import { hasMariadb, PrivateMariadb } from '../support/mariadb.js';

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
  });
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
