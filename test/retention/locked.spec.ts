import { expect, it } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { Jobs } from '../../src/jobs/jobs.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { describeOnMariadb } from '../support/databases.js';
import { DAY_MS, type Given, KEPT, left, store, useRetention } from './stored.js';

const OLD: Given = { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED', 'FAILED'], attempts: 2 };

// On SQLite there is no other connection.
describeOnMariadb('retention beside others on $name', (kind) => {
  const { service, pass } = useRetention(kind);

  it('removes all but what locked rows belong to, and that when they are free again', async () => {
    const [byTrigger, byAttempt, byNotification] = await store(service, Array(5).fill(OLD));
    // Whoever deletes some rows of a table that has few others reads all of them, and so waits.
    const young = await store(service, Array(60).fill({ ...OLD, ageMs: DAY_MS }));
    const kept = young.map(({ id }) => id).sort();
    const client = await createConnection(service.database.url);
    service.database.defer(() => client.destroy());
    await client.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
    await client.query('BEGIN');
    for (const [table, key, id, lock] of [
      ['webhook_trigger', 'id', byTrigger?.triggers[1], 'FOR UPDATE'],
      ['webhook_attempt', 'trigger_id', byAttempt?.triggers[0], 'FOR UPDATE'],
      ['webhook_notification', 'id', byNotification?.id, 'LOCK IN SHARE MODE'],
    ])
      await client.query(
        `SELECT ${key} FROM ${table} FORCE INDEX (PRIMARY) WHERE ${key} = ? LIMIT 1 ${lock}`,
        [id],
      );
    await pass();
    const locked = [byTrigger?.id, byAttempt?.id, byNotification?.id].sort();
    expect(await left(service)).toMatchObject({ whole: [...locked, ...kept], overdue: locked });
    await client.query('ROLLBACK');
    await pass();
    expect(await left(service)).toMatchObject({ notifications: kept, whole: kept, overdue: [] });
  });

  it('is the work of one of several processes, and of another one when that stops', async () => {
    const other = await service.database.start(KEPT);
    await other.app.get(Jobs).quiet();
    const passOfOther = () => pass(other.get(RetentionPass));
    await pass();
    await store(service, [OLD]);
    expect(await passOfOther()).toBe(0);
    expect(await left(other)).toMatchObject({ notifications: [expect.any(String)] });
    await service.stop();
    await passOfOther();
    expect(await left(other)).toMatchObject({ notifications: [], triggers: [], attempts: [], overdue: [] });
  });
});
