import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { TaskLease } from '../../src/engine/instance/task-lease.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { RemovalRepository, type Removed } from '../../src/retention/removal.repository.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { TASKS } from '../../src/retention/tasks.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { DAY_MS, type Given, left, oldId, store } from './stored.js';

/** What happens between the look at notifications and the transaction that removes them. */
describe.each(databases)('meanwhile, retention on $name', (kind) => {
  const service = useService(kind, { RETENTION_PAYLOAD_DAYS: '10', RETENTION_DAYS: '20' }, 'test');
  beforeEach(() => service.app.get(Jobs).quiet());

  const query = (sql: string, parameters: unknown[] = []) =>
    service.app.get(DataSource, { strict: false }).query(sql, parameters);

  /** Stores three notifications. @returns what removes them as they are now. */
  async function looked(what: Removed) {
    const given: Given = { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED', 'FAILED'] };
    const stored = await store(service, [given, given, given]);
    stored.sort((one, other) => (one.id < other.id ? -1 : 1));
    await service.app.get(TaskLease, { strict: false }).take(TASKS[what]);
    const ready = stored.map(({ id, triggers }) => ({ id, exists: true, triggerIds: triggers }));
    const batch = { ids: stored.map(({ id }) => id), ready, isPart: false };
    const remove = () =>
      service.app
        .get(RemovalRepository, { strict: false })
        .remove({ what, batch, after: '', now: Date.now(), task: TASKS[what] });
    return { stored, remove };
  }

  it.each(['payload', 'rows'] as const)(
    'spares the %s of what a trigger was made or made due for',
    async (what) => {
      const { stored, remove } = await looked(what);
      const [due, more] = stored;
      await query(`UPDATE webhook_trigger SET status = 'PENDING' WHERE id = ?`, [due?.triggers[1]]);
      await query(
        `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_kind, user_id, status)
         VALUES (?, ?, 'other', 'RECORD_FINISHED', 'acme', 'SUCCEEDED')`,
        [oldId(0), more?.id],
      );
      expect(await remove()).toBe(1);
      const spared = [due?.id, more?.id];
      const found = await left(service);
      expect(found).toMatchObject({ whole: spared, overdue: spared });
      expect(found.wholeAttempts).toEqual([...(due?.triggers ?? []), ...(more?.triggers ?? [])].sort());
      const [task] = await query('SELECT position FROM webhook_task WHERE name = ?', [TASKS[what]]);
      expect(task.position).toBe(stored.at(-1)?.id);
    },
  );

  it.each(['payload', 'rows'] as const)('removes no %s if another instance has taken over', async (what) => {
    const { remove } = await looked(what);
    await query(`UPDATE webhook_task SET held_by = 'another'`);
    const before = await left(service);
    await expect(remove()).rejects.toThrow(`Another instance takes care of ${TASKS[what]} now.`);
    expect(await left(service)).toEqual(before);
    expect(before.whole).toHaveLength(3);
  });

  it('removes all but what cannot be removed', async () => {
    const given: Given = { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED'] };
    const stored = await store(service, Array(20).fill(given));
    const rotten = stored.map(({ id }) => id).sort()[7] as string;
    const refuse = kind.name === 'SQLite' ? `SELECT RAISE(ABORT, 'rotten');` : `SIGNAL SQLSTATE '45000';`;
    await query(
      kind.name === 'SQLite'
        ? `CREATE TRIGGER rotten BEFORE DELETE ON webhook_notification WHEN OLD.id = '${rotten}' BEGIN ${refuse} END`
        : `CREATE TRIGGER rotten BEFORE DELETE ON webhook_notification FOR EACH ROW IF OLD.id = '${rotten}' THEN ${refuse} END IF`,
    );
    const pass = service.app.get(RetentionPass, { strict: false });
    const run = async () => {
      for await (const _ of pass.steps());
    };
    for (let passes = 0; passes < 10; passes++) await run().catch(() => {});
    expect((await left(service)).notifications).toEqual([rotten]);
    await query('DROP TRIGGER rotten');
    await run();
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], overdue: [] });
  });

  it('leaves the rest of a large notification that a trigger was made for between its parts', async () => {
    const statuses = Array.from({ length: 2000 }, () => 'FAILED' as const);
    const [large] = await store(service, [{ ageMs: 21 * DAY_MS, statuses }]);
    const pass = service.app.get(RetentionPass, { strict: false });
    const steps = pass.steps();
    await steps.next();
    const rest = (await left(service)).triggers;
    expect(rest.length).toBeLessThan(2000);
    // Before all others by its id.
    const made = oldId(50 * DAY_MS);
    await query(
      `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_kind, user_id, status, next_attempt_at)
       VALUES (?, ?, 'other', 'RECORD_FINISHED', 'acme', 'PENDING', ?)`,
      [made, large?.id, Date.now() + DAY_MS],
    );
    while (!(await steps.next()).done);
    const whole = {
      whole: [large?.id],
      triggers: [made, ...rest],
      wholeAttempts: rest,
      overdue: [large?.id],
    };
    expect(await left(service)).toMatchObject(whole);
    await query(`UPDATE webhook_trigger SET status = 'SUCCEEDED'`);
    for await (const _ of pass.steps());
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], attempts: [], overdue: [] });
  });
});
