import { expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { Jobs } from '../../src/jobs/jobs.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { describeOnMariadb } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { DAY_MS, left, store } from './stored.js';

// On SQLite there is no other connection.
describeOnMariadb('retention beside locked rows on $name', (kind) => {
  const service = useService(kind, { RETENTION_PAYLOAD_DAYS: '10', RETENTION_DAYS: '20' });

  it('removes all but what they belong to, and that when they are free again', async () => {
    await service.app.get(Jobs).quiet();
    const stored = await store(
      service,
      Array.from({ length: 4 }, () => ({
        ageMs: 21 * DAY_MS,
        statuses: ['SUCCEEDED', 'FAILED'],
        attempts: 2,
      })),
    );
    const [byTrigger, byAttempt] = stored;
    const client = await createConnection(service.database.url);
    service.database.defer(() => client.destroy());
    await client.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await client.query('BEGIN');
    for (const [table, key, id] of [
      ['webhook_trigger', 'id', byTrigger?.triggers[1]],
      ['webhook_attempt', 'trigger_id', byAttempt?.triggers[0]],
    ])
      await client.query(
        `SELECT ${key} FROM ${table} FORCE INDEX (PRIMARY) WHERE ${key} = ? LIMIT 1 FOR UPDATE`,
        [id],
      );
    const pass = async () => {
      const steps = service.app.get(RetentionPass, { strict: false }).steps();
      while (!(await steps.next()).done);
    };
    await pass();
    const locked = [byTrigger?.id, byAttempt?.id].sort();
    expect(await left(service)).toMatchObject({ notifications: locked, overdue: locked });
    await client.query('ROLLBACK');
    await pass();
    expect(await left(service)).toMatchObject({
      notifications: [],
      triggers: [],
      attempts: [],
      overdue: [],
    });
  });
});
