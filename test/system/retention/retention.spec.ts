import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Jobs } from '../../../src/jobs/jobs.js';
import { RetentionPass } from '../../../src/retention/retention-pass.js';
import { DAY_MS, left, oldId, store } from '../../retention/stored.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';

const LARGE = 3000;

describe.each(databases)('retention on $name', (kind) => {
  const service = useService(kind, { RETENTION_PAYLOAD_DAYS: '10', RETENTION_DAYS: '20' }, 'test');

  // Only the test makes passes, and nothing is claimed: what is pending is due tomorrow.
  beforeEach(() => service.app.get(Jobs).quiet());

  const query = (sql: string, parameters: unknown[] = []) =>
    service.app.get(DataSource, { strict: false }).query(sql, parameters);

  /** Makes one whole pass. @returns how many steps it took. */
  async function pass(): Promise<number> {
    const steps = service.app.get(RetentionPass, { strict: false }).steps();
    let count = 0;
    while (!(await steps.next()).done) count++;
    return count;
  }

  it('removes the payload of what is finished first, and its rows later', async () => {
    const [young, middle, old] = await store(service, [
      { ageMs: 9 * DAY_MS, statuses: ['SUCCEEDED', 'FAILED'] },
      { ageMs: 11 * DAY_MS, statuses: ['SUCCEEDED', 'CANCELLED'], attempts: 3 },
      { ageMs: 21 * DAY_MS, statuses: ['FAILED'] },
    ]);
    await pass();
    const { notifications, whole, triggers, wholeAttempts, bareAttempts, overdue } = await left(service);
    expect(notifications).toEqual([middle?.id, young?.id]);
    expect(whole).toEqual([young?.id]);
    expect(triggers).toEqual([...(middle?.triggers ?? []), ...(young?.triggers ?? [])].sort());
    expect(wholeAttempts).toEqual([...(young?.triggers ?? [])].sort());
    expect(bareAttempts).toHaveLength(6);
    expect(triggers).not.toContain(old?.triggers[0]);
    expect(overdue).toEqual([]);
    const [skeleton] = await query(
      'SELECT begin_at, end_at, error_code FROM webhook_attempt WHERE trigger_id = ?',
      [middle?.triggers[0]],
    );
    expect([Number(skeleton.begin_at), Number(skeleton.end_at), skeleton.error_code]).toEqual([
      1,
      2,
      'http_status',
    ]);
  });

  it('removes notifications that nobody was subscribed to', async () => {
    await store(service, [
      { ageMs: 11 * DAY_MS, statuses: [] },
      { ageMs: 21 * DAY_MS, statuses: [] },
    ]);
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [expect.any(String)], whole: [] });
  });

  it('touches nothing that is pending or under way, and removes it soon after its end', async () => {
    const stored = await store(service, [
      { ageMs: 30 * DAY_MS, statuses: ['SUCCEEDED', 'PENDING'] },
      { ageMs: 30 * DAY_MS, statuses: ['DELIVERING', 'FAILED'] },
      { ageMs: 15 * DAY_MS, statuses: ['PENDING'] },
    ]);
    await pass();
    await pass();
    const ids = stored.map(({ id }) => id).sort();
    expect(await left(service)).toMatchObject({
      notifications: ids,
      whole: ids,
      overdue: ids,
      bareAttempts: [],
    });
    expect((await left(service)).attempts).toHaveLength(5);
    await query(`UPDATE webhook_trigger SET status = 'SUCCEEDED', next_attempt_at = 0`);
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [stored[2]?.id], whole: [], overdue: [] });
    expect((await left(service)).bareAttempts).toEqual(stored[2]?.triggers);
  });

  it('removes a trigger that was made later together with its notification', async () => {
    const [old] = await store(service, [{ ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED'] }]);
    const columns = 'id, notification_id, webhook_id, event_kind, user_id, status';
    const late = oldId(DAY_MS);
    await query(
      `INSERT INTO webhook_trigger (${columns}) VALUES (?, ?, 'other', 'RECORD_FINISHED', 'acme', 'SUCCEEDED')`,
      [late, old?.id],
    );
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], attempts: [] });
  });

  it('removes triggers whose notification does not exist, once they are finished', async () => {
    const stored = await store(service, [
      { ageMs: 21 * DAY_MS, statuses: ['SUCCEEDED', 'FAILED'] },
      { ageMs: 21 * DAY_MS, statuses: ['PENDING'] },
      { ageMs: 5 * DAY_MS, statuses: ['SUCCEEDED'] },
    ]);
    await query('DELETE FROM webhook_notification');
    const [, pending, young] = stored;
    const retention = service.app.get(RetentionPass, { strict: false });
    // It looks every hour, at what was of age the time before.
    Object.assign(retention, { strays: { scanned: Number.NEGATIVE_INFINITY, before: oldId(20 * DAY_MS) } });
    await pass();
    await pass();
    expect((await left(service)).triggers).toEqual([pending?.triggers[0], young?.triggers[0]]);
    await query(`UPDATE webhook_trigger SET status = 'FAILED'`);
    await pass();
    expect(await left(service)).toMatchObject({ triggers: young?.triggers, overdue: [] });
  });

  it('takes a notification with more triggers and attempts than one transaction should change', async () => {
    const statuses = Array.from({ length: LARGE }, () => 'FAILED' as const);
    await store(service, [
      { ageMs: 22 * DAY_MS, statuses: ['SUCCEEDED'] },
      { ageMs: 21 * DAY_MS, statuses, attempts: 2 },
      { ageMs: 12 * DAY_MS, statuses, attempts: 2 },
      { ageMs: 11 * DAY_MS, statuses: ['SUCCEEDED'] },
    ]);
    await pass();
    const { notifications, whole, triggers, bareAttempts } = await left(service);
    expect([notifications.length, whole.length, triggers.length]).toEqual([2, 0, LARGE + 1]);
    expect(bareAttempts).toHaveLength(2 * LARGE + 1);
  });

  it('removes ended recoveries and decision sets that no notification can name', async () => {
    const recovery = (id: string, state: string, ageMs: number) =>
      query(
        `INSERT INTO webhook_recovery (id, webhook_id, user_id, state, since, until, missed, per_second, total, done,
           position, counted, begin_at, end_at) VALUES (?, 'w', 'acme', ?, 0, 0, 0, 1, 0, 0, '', '', 0, ?)`,
        [id, state, state === 'RUNNING' ? 0 : Math.round(Date.now() - ageMs)],
      );
    const [running, recent] = [oldId(40 * DAY_MS), oldId(30 * DAY_MS)];
    await recovery(oldId(30 * DAY_MS), 'DONE', 25 * DAY_MS);
    await recovery(running, 'RUNNING', 0);
    await recovery(recent, 'STOPPED', DAY_MS);
    for (const [id, days] of Object.entries({ old: 18, used: 16 })) {
      const row = [id, Math.round(Date.now() - days * DAY_MS)];
      await query(`INSERT INTO webhook_decision_set (id, decisions, stored_at) VALUES (?, '{}', ?)`, row);
    }
    await store(service, [{ ageMs: 15 * DAY_MS, statuses: ['PENDING'] }]);
    await pass();
    const ids = async (table: string) =>
      (await query(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }: { id: string }) => id);
    expect(await ids('webhook_recovery')).toEqual([running, recent]);
    expect(await ids('webhook_decision_set')).toEqual(['used']);
  });

  it('never reads again what it has done', async () => {
    await store(
      service,
      Array.from({ length: 400 }, (_, n) => ({
        ageMs: (11 + n / 200) * DAY_MS,
        statuses: ['SUCCEEDED'] as const,
      })).map(({ ageMs, statuses }) => ({ ageMs, statuses: [...statuses] })),
    );
    expect(await pass()).toBeGreaterThan(3);
    expect(await pass()).toBe(0);
  });

  it('says how far it is behind', async () => {
    const lag = async () => {
      const { text } = await service.call('GET', '/metrics', undefined, { key: null });
      return Number(/^webhook_retention_lag_seconds (.*)$/m.exec(text)?.[1]);
    };
    expect(await lag()).toBe(0);
    await store(service, [{ ageMs: 11 * DAY_MS, statuses: ['SUCCEEDED'] }]);
    expect(await lag()).toBeCloseTo(DAY_MS / 1000, -2);
    await pass();
    expect(await lag()).toBe(0);
  });
});
