import { beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { IdempotencyRepository } from '../../src/idempotency/idempotency.repository.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import type { TestService } from '../support/service.js';
import { until } from '../support/until.js';

const DAY = 24 * 60 * 60 * 1000;
const OLD = 5000;
const hashOf = (index: number) => index.toString(16).padStart(64, '0');

describe.each(databases)('Old idempotency keys on $name', (kind) => {
  const database = useDatabase(kind);
  let service: TestService;

  beforeAll(async () => {
    service = await database.start({ ROLE: 'api' });
  });

  const insert = (rows: unknown[][]) =>
    service.app.get(Database).dataSource.transaction((manager) =>
      service.app.get(Database).insertMany(manager, {
        table: 'webhook_idempotency',
        columns: ['hash', 'request_hash', 'subject_id', 'created_at'],
        rows,
      }),
    );
  const left = async () => {
    const [row] = await service.app.get(DataSource).query('SELECT COUNT(*) AS n FROM webhook_idempotency');
    return Number(row.n);
  };

  it('are deleted in batches by an instance that delivers, and recent ones are kept', async () => {
    const now = Date.now();
    await insert(Array.from({ length: OLD }, (_, i) => [hashOf(i), 'r', 's', now - DAY - 1 - i]));
    await insert([[hashOf(OLD), 'r', 's', now]]);
    const repository = service.get(IdempotencyRepository);
    expect(await repository.purgeSome(now)).toBe(true);
    expect(await left()).toBe(OLD - 500 + 1);
    await service.stop();
    service = await database.start();
    await until(async () => (await left()) === 1, { what: 'the end of all old keys' });
  });
});
