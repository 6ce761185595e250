import { expect, it } from '@jest/globals';
import { Jobs } from '../../src/jobs/jobs.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { describeOnMariadb } from '../support/databases.js';
import { strangerAt } from '../support/stranger.js';
import { DAY_MS, type Given, KEPT, left, type Stored, store, useRetention } from './stored.js';

const OLD: Given = { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED', 'FAILED'], attempts: 2 };

// On SQLite there is no other connection.
describeOnMariadb('retention beside others on $name', (kind) => {
  const { service, pass } = useRetention(kind);

  it('removes all but what locked rows belong to, and that when they are free again', async () => {
    const stored = await store(service, Array(5).fill(OLD));
    const [byTrigger, byAttempt, byNotification] = stored as [Stored, Stored, Stored];
    // Whoever deletes some rows of a table that has few others reads all of them, and so waits.
    const young = await store(service, Array(60).fill({ ...OLD, ageMs: DAY_MS }));
    const kept = young.map(({ id }) => id).sort();
    const stranger = await strangerAt(service.database);
    await stranger.lock('webhook_trigger', [byTrigger.triggers[1] as string]);
    const one = { key: 'trigger_id', mode: 'LIMIT 1 FOR UPDATE' };
    await stranger.lock('webhook_attempt', [byAttempt.triggers[0] as string], one);
    await stranger.lock('webhook_notification', [byNotification.id], { mode: 'LOCK IN SHARE MODE' });
    await pass();
    const locked = [byTrigger.id, byAttempt.id, byNotification.id].sort();
    expect(await left(service)).toMatchObject({ whole: [...locked, ...kept], overdue: locked });
    await stranger.letGo();
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
