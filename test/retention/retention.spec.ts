import { describe, expect, it } from '@jest/globals';
import { ROOM } from '../../src/retention/batch.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { spansOf } from '../../src/retention/spans.js';
import { Database } from '../../src/store/database.js';
import { databases, type TestDatabaseKind } from '../support/databases.js';
import { DAY_MS, type Given, left, oldId, type Status, store, storeTrigger, useRetention } from './stored.js';

const HOUR_MS = 3_600_000;
/** The columns of an attempt that stay when its payload goes. A new one that stays has to be named here. */
const STAYS = [
  ...['trigger_id', 'number', 'begin_at', 'end_at', 'phases', 'cause'],
  ...['error_code', 'error_message', 'error_detail'],
];

const given = (ageMs: number, statuses: Status[] = ['SUCCEEDED'], more: Partial<Given> = {}): Given => ({
  ageMs,
  statuses,
  ...more,
});

describe.each(databases)('retention on $name', (kind) => {
  const { clock, service, get, query, pass } = useRetention(kind);

  const idsIn = async (table: string): Promise<string[]> =>
    (await query(`SELECT id FROM ${table} ORDER BY id`)).map(({ id }: { id: string }) => id);

  it('removes the payload of what is finished when it is of age, and its rows later, neither a moment before', async () => {
    const [young, middle, , lasting] = await store(service, [
      given(10 * DAY_MS - 1, ['SUCCEEDED', 'FAILED']),
      given(10 * DAY_MS, ['SUCCEEDED', 'CANCELLED'], { attempts: 3 }),
      given(20 * DAY_MS, ['FAILED']),
      given(20 * DAY_MS - 1, []),
      given(20 * DAY_MS, []),
    ]);
    await pass();
    expect(await left(service)).toEqual({
      notifications: [lasting?.id, middle?.id, young?.id],
      whole: [young?.id],
      triggers: [...(middle?.triggers ?? []).toSorted(), ...(young?.triggers ?? []).toSorted()],
      attempts: expect.anything(),
      wholeAttempts: young?.triggers.toSorted(),
      bareAttempts: middle?.triggers.flatMap((id) => [id, id, id]).toSorted(),
      overdue: [],
    });
    // What is done is not read again.
    expect(await pass()).toBe(0);
    clock.advance(1);
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [middle?.id, young?.id], whole: [] });
  });

  it('takes no column but those of the payload, and each of these', async () => {
    await store(service, [given(11 * DAY_MS)]);
    const rows = async () => {
      const row = async (name: string) => (await query(`SELECT * FROM webhook_${name}`))[0];
      return {
        notification: await row('notification'),
        trigger: await row('trigger'),
        attempt: await row('attempt'),
      };
    };
    const columns = Object.keys((await rows()).attempt);
    const texts = columns.filter(
      (column) => !['trigger_id', 'number', 'begin_at', 'end_at'].includes(column),
    );
    await query(`UPDATE webhook_attempt SET ${texts.map((column) => `${column} = 'needle'`).join(', ')}`);
    const before = await rows();
    await pass();
    const { notification, trigger, attempt } = await rows();
    expect({ ...notification, payload_gone_at: Number(notification.payload_gone_at) }).toEqual({
      ...before.notification,
      body: Buffer.alloc(0),
      payload_gone_at: clock.now(),
    });
    expect(trigger).toEqual(before.trigger);
    const expected = columns.map((name) => [name, STAYS.includes(name) ? before.attempt[name] : null]);
    expect(attempt).toEqual(Object.fromEntries(expected));
  });

  it.each([
    ['nothing', { payloadDays: 0, days: 0 }, [3, 3]],
    ['only payloads', { payloadDays: 10, days: 0 }, [3, 1]],
    ['payloads with their rows', { payloadDays: 0, days: 20 }, [2, 2]],
  ] as const)('removes %s where it is set to keep the rest for ever', async (_what, days, counts) => {
    await store(service, [given(9 * DAY_MS), given(15 * DAY_MS), given(1000 * DAY_MS)]);
    await pass(Object.create(get(RetentionPass), { spans: { value: spansOf(days) } }));
    const { notifications, whole } = await left(service);
    expect([notifications.length, whole.length]).toEqual(counts);
  });

  it('touches nothing that is pending or under way, and removes it soon after its end', async () => {
    const stored = await store(service, [
      given(30 * DAY_MS, ['SUCCEEDED', 'PENDING']),
      given(30 * DAY_MS - 1, ['DELIVERING', 'FAILED']),
      given(15 * DAY_MS, ['PENDING']),
    ]);
    const before = await left(service);
    await pass();
    await pass();
    expect(await left(service)).toEqual({ ...before, overdue: stored.map(({ id }) => id) });
    await query(`UPDATE webhook_trigger SET status = 'SUCCEEDED', next_attempt_at = 0`);
    await pass();
    const [, , young] = stored;
    expect(await left(service)).toMatchObject({
      notifications: [young?.id],
      whole: [],
      bareAttempts: young?.triggers,
      overdue: [],
    });
  });

  it('comes back to a notification whose id is older than itself, as if a clock had been set', async () => {
    await store(service, [given(20 * DAY_MS)]);
    await query('UPDATE webhook_notification SET triggered_at = triggered_at + 5');
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [expect.any(String)] });
    clock.advance(5);
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], overdue: [] });
  });

  it('removes a trigger that was made later together with its notification', async () => {
    const [old] = await store(service, [given(21 * DAY_MS)]);
    await storeTrigger(service, oldId(DAY_MS), old);
    await pass();
    expect(await left(service)).toMatchObject({ notifications: [], triggers: [], attempts: [] });
  });

  it('removes triggers whose notification does not exist, once they are finished', async () => {
    const [, pending, young] = await store(service, [
      given(21 * DAY_MS, ['SUCCEEDED', 'FAILED']),
      given(21 * DAY_MS, ['PENDING']),
      given(5 * DAY_MS),
    ]);
    await query('DELETE FROM webhook_notification');
    // It looks every hour, at what was of age the time before; what it finds goes in the next pass.
    for (const ms of [HOUR_MS, HOUR_MS, 0]) {
      clock.advance(ms);
      await pass();
    }
    expect((await left(service)).triggers).toEqual([pending?.triggers[0], young?.triggers[0]]);
    await query(`UPDATE webhook_trigger SET status = 'FAILED'`);
    await pass();
    expect(await left(service)).toMatchObject({ triggers: young?.triggers, overdue: [] });
  });

  it('takes a notification with more triggers and attempts than one transaction should change', async () => {
    const many = Array.from({ length: ROOM + 2 }, () => 'FAILED' as const);
    await store(service, [
      given(22 * DAY_MS),
      given(21 * DAY_MS, many),
      given(12 * DAY_MS, many),
      given(11 * DAY_MS),
    ]);
    expect(await pass()).toBeGreaterThanOrEqual(6);
    const { notifications, whole, triggers, bareAttempts } = await left(service);
    expect([notifications.length, whole.length, triggers.length]).toEqual([2, 0, many.length + 1]);
    expect(bareAttempts).toHaveLength(many.length + 1);
  });

  it('removes ended recoveries and decision sets that no notification can name', async () => {
    const recovery = (id: string, state: string, endAt: number) =>
      query(
        `INSERT INTO webhook_recovery (id, webhook_id, user_id, state, since, until, missed, per_second, total, done,
           position, counted, begin_at, end_at) VALUES (?, 'w', 'acme', ?, 0, 0, 0, 1, 0, 0, '', '', 0, ?)`,
        [id, state, endAt],
      );
    const [running, recent] = [oldId(40 * DAY_MS), oldId(30 * DAY_MS)];
    await recovery(oldId(30 * DAY_MS), 'DONE', clock.now() - 20 * DAY_MS - 1);
    await recovery(running, 'RUNNING', 0);
    await recovery(recent, 'STOPPED', clock.now() - 20 * DAY_MS);
    // One in use is stored again every day.
    for (const [id, ageMs] of Object.entries({ old: 17 * DAY_MS + 1, used: 17 * DAY_MS }))
      await query(`INSERT INTO webhook_decision_set (id, decisions, stored_at) VALUES (?, '{}', ?)`, [
        id,
        clock.now() - ageMs,
      ]);
    await store(service, [given(15 * DAY_MS, ['PENDING'])]);
    await pass();
    expect(await idsIn('webhook_recovery')).toEqual([running, recent]);
    expect(await idsIn('webhook_decision_set')).toEqual(['used']);
  });

  it('says how far it is behind', async () => {
    const lag = async () => {
      const { text } = await service.call('GET', '/metrics', undefined, { key: null });
      return Number(/^webhook_retention_lag_seconds (.*)$/m.exec(text)?.[1]);
    };
    expect(await lag()).toBe(0);
    await store(service, [given(11 * DAY_MS)]);
    expect(await lag()).toBe(DAY_MS / 1000);
    await pass();
    expect(await lag()).toBe(0);
  });
});

describe('retention in a SQLite file', () => {
  const { service, get, pass } = useRetention(databases[0] as TestDatabaseKind);

  it('makes it smaller, in steps', async () => {
    const body = Buffer.alloc(100_000, 'x');
    await store(service, Array(80).fill(given(21 * DAY_MS, ['FAILED'], { body })));
    const pages = async () => {
      const [row] = (await get(Database).pragma('page_count')) as { page_count: number }[];
      return row?.page_count ?? 0;
    };
    const before = await pages();
    const sizes: number[] = [];
    for await (const _ of get(RetentionPass).steps()) sizes.push(await pages());
    expect(before).toBeGreaterThan(2000);
    expect(await pages()).toBeLessThan(before / 4);
    // No step gives back all of it.
    expect(new Set(sizes).size).toBeGreaterThan(3);
    expect(await pass()).toBe(0);
  });
});
