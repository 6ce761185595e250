import { describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';

describe.each(databases)('health on $name', (kind) => {
  const service = useService(kind);

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
