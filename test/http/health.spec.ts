import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databases, type TestDatabase } from '../support/databases.js';
import { startService, type TestService } from '../support/service.js';

describe.each(databases)('health on $name', (kind) => {
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    database = await kind.create();
    service = await startService(database.url);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('is live, without a key', async () => {
    expect(await service.call('GET', '/health/live', undefined, { key: null })).toMatchObject({
      status: 200,
    });
  });

  it('is ready when the database answers, is migrated, and deliveries run', async () => {
    const answer = await service.call('GET', '/health/ready', undefined, { key: null });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'ok', checks: { database: 'ok', migrations: 'ok', delivery: 'ok' } },
    });
  });
});
