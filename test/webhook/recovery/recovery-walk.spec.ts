import { beforeAll, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import { NO_ID } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useService, useTestClock } from '../../support/fixture.js';
import { type Json, newUser, notify } from '../../support/scene.js';
import { strangerAt } from '../../support/stranger.js';
import { ATTEMPTS, advance, HOUR_MS, iso, recoveriesBy, secondsOf } from './scene.js';

describe.each(databases)('a recovery on $name', (kind) => {
  // Ids go by the machine's clock: whatever is made lies before a recovery that begins.
  const clock = useTestClock(new TestClock(Date.now() + HOUR_MS));
  // It makes triggers due, and nobody sends them.
  const service = useService(kind, { ROLE: 'api' });
  const { count, ended, recover, recovered, recovery, recoveryWhen, rowsOf, stop, store, webhook } =
    recoveriesBy(service);
  let second: () => Promise<void>;
  beforeAll(() => {
    second = secondsOf(service, clock);
    advance(service);
  });

  const pendingOf = async (id: string) => (await rowsOf(id)).filter(({ status }) => status === 'PENDING');
  /** So many times, one after another. */
  const times = (many: number, from = clock.now() - HOUR_MS) =>
    Array.from({ length: many }, (_, i) => from + i);

  /** A webhook with so many failed triggers, and its recovery, which has taken the first step and no other. */
  async function begun(failed: number, per_second: number): Promise<{ mine: Json; id: string }> {
    const mine = await webhook();
    await store(mine, times(failed));
    const { body } = await recover(mine.id, { per_second });
    expect(body).toMatchObject({ triggers: failed, total: failed, done: 0 });
    await recoveryWhen(body.id, ({ done }) => done > 0);
    return { mine, id: body.id };
  }

  /** Resolves when it has ended; time goes on. */
  const endedInTime = (id: string) =>
    recoveryWhen(id, ({ state }) => {
      clock.advance(1000);
      return state !== 'RUNNING';
    });

  it('counts and makes due only failed and cancelled triggers of that webhook, each on a fresh schedule', async () => {
    const mine = await webhook();
    const now = clock.now();
    const wanted = [
      ...(await store(mine, [now - 3000])),
      ...(await store(mine, [now - 2000], { status: 'CANCELLED' })),
    ];
    await store(mine, [now - 1000], { status: 'SUCCEEDED' });
    await store(mine, [now - 1000], { eventId: null });
    await store(mine, [now - 1000], { eventId: NO_ID });
    const other = await webhook();
    await store(other, [now - 2500]);
    expect(await count(mine.id)).toBe(2);
    expect(await recovered(mine.id)).toMatchObject({ state: 'DONE', total: 2, done: 2 });
    const pending = await pendingOf(mine.id);
    expect(pending.map(({ id }) => id)).toEqual(wanted);
    const fresh = { attempt_count: ATTEMPTS, schedule_offset: ATTEMPTS, lease: 4, cause: 'recover' };
    expect(pending).toMatchObject([fresh, fresh]);
    expect(pending.map(({ end_at }) => Number(end_at))).toEqual([0, 0]);
    expect(await rowsOf(mine.id)).toHaveLength(5);
    expect(await rowsOf(other.id)).toMatchObject([{ status: 'FAILED' }]);
    expect(await recovered(mine.id)).toMatchObject({ state: 'DONE', total: 0, done: 0 });
  });

  it('leaves out what is erased or past retention', async () => {
    const mine = await webhook();
    const [gone] = await store(mine, [clock.now() - 2000, clock.now() - 1000]);
    const [{ notification_id }] = await rowsOf(mine.id);
    const erase = 'UPDATE webhook_notification SET payload_gone_at = 1 WHERE id = ?';
    await service.query(erase, [notification_id]);
    for (const missed of [false, true]) await recovered(mine.id, { missed });
    expect(await rowsOf(mine.id)).toMatchObject([{ id: gone, status: 'FAILED' }, { status: 'PENDING' }]);
  });

  it('goes oldest first, and takes what was failed and cancelled in one order', async () => {
    const mine = await webhook();
    const at = clock.now() - HOUR_MS;
    const failed = await store(mine, [at, at + 2, at + 4]);
    const cancelled = await store(mine, [at + 1, at + 3], { status: 'CANCELLED' });
    const begin = clock.now();
    const { body } = await recover(mine.id, { per_second: 2 });
    await recoveryWhen(body.id, ({ done }) => done > 0);
    for (const done of [4, 5]) {
      await second();
      expect(await recovery(body.id)).toMatchObject({ done });
    }
    const order = await pendingOf(mine.id);
    expect(order.map(({ id }) => id)).toEqual([...failed, ...cancelled].sort());
    expect(order.map((row) => Number(row.next_attempt_at) - begin)).toEqual([0, 500, 1000, 1500, 2000]);
  });

  it('holds its pace, and waits while nothing of it is sent', async () => {
    const { mine, id } = await begun(400, 50);
    const after = async () => {
      await second();
      return (await recovery(id)).done;
    };
    // Three seconds' worth may wait.
    expect([await after(), await after(), await after(), await after()]).toEqual([100, 150, 150, 150]);
    // Once they are sent it goes on.
    const sent = `UPDATE webhook_trigger SET status = 'SUCCEEDED' WHERE webhook_id = ? AND status = 'PENDING'`;
    await service.query(sent, [mine.id]);
    expect([await after(), await after()]).toEqual([200, 250]);
    await stop(id);
  });

  it('stops when it is told to, and another one takes the rest', async () => {
    const { mine, id } = await begun(100, 10);
    const { body: stopped } = await stop(id);
    expect(stopped).toMatchObject({ state: 'STOPPED', total: 100, done: 10 });
    clock.advance(1000);
    expect(await recovered(mine.id)).toMatchObject({ state: 'DONE', total: 90, done: 90 });
    expect(await recovery(id)).toEqual(stopped);
    expect(await pendingOf(mine.id)).toHaveLength(100);
  });

  it('ends at its begin, even if "until" lies in the future', async () => {
    const mine = await webhook();
    await store(mine, [clock.now() - 1000]);
    await store(mine, [clock.now() + HOUR_MS]);
    const until = iso(clock.now() + 2 * HOUR_MS);
    expect(await recovered(mine.id, { until })).toMatchObject({ until, total: 1, done: 1 });
  });

  it.each([
    ['disabled', (id: string) => service.call('PATCH', '/v1/webhook', { id, enabled: false })],
    ['deleted', (id: string) => service.call('DELETE', `/v1/webhook?id=${id}`)],
  ])('stops when its webhook is %s', async (_, call) => {
    const { mine, id } = await begun(100, 10);
    await call(mine.id);
    await second();
    const stopped = await recovery(id);
    expect(stopped).toMatchObject({ state: 'STOPPED', total: 100, done: 10 });
    expect(await pendingOf(mine.id)).toEqual([]);
    const { body } = await service.call('GET', `/v1/webhook/recover/list?webhook_id=${mine.id}`);
    expect(body.data).toEqual([stopped]);
  });

  it('finds the few of a webhook among thousands of others', async () => {
    const [mine, other] = [await webhook(), await webhook()];
    const at = clock.now() - HOUR_MS;
    await store(mine, times(4000, at), { status: 'SUCCEEDED' });
    await store(other, times(4000, at));
    const wanted = await store(mine, [at - 1, at + 2000, at + 6000]);
    for (const missed of [false, true]) {
      expect(await count(mine.id, { missed })).toBe(3);
      const { body } = await recover(mine.id, { missed });
      expect(await endedInTime(body.id)).toMatchObject({ state: 'DONE', total: 3, done: 3 });
      expect((await pendingOf(mine.id)).map(({ id }) => id)).toEqual([...wanted].sort());
      const again = `UPDATE webhook_trigger SET status = 'FAILED', next_attempt_at = 0 WHERE webhook_id = ? AND status = 'PENDING'`;
      await service.query(again, [mine.id]);
    }
  });

  it('goes on beside new notifications', async () => {
    const user = newUser();
    const mine = await webhook(user);
    await store(mine, [clock.now() - 1000]);
    const [{ body }] = await Promise.all([
      recover(mine.id, { missed: true, until: iso(clock.now() + HOUR_MS) }),
      ...Array.from({ length: 30 }, () => notify(service, user)),
    ]);
    await ended(body.id);
    const rows = await rowsOf(mine.id);
    expect(new Set(rows.map((row) => row.notification_id)).size).toBe(31);
    expect(rows).toHaveLength(31);
  });

  if (kind.name === 'SQLite') return;

  it.each(['webhook', 'webhook_recovery'] as const)(
    'waits alone if a stranger has locked its row in %s',
    async (table) => {
      // Fewer than may wait for a receiver.
      const [locked, ...others] = [await begun(250, 100), await begun(250, 100), await begun(250, 100)];
      const stranger = await strangerAt(service.database);
      await stranger.lock(table, [table === 'webhook' ? locked.mine.id : locked.id]);
      for (const other of others) expect(await endedInTime(other.id)).toMatchObject({ done: 250 });
      expect(await recovery(locked.id)).toMatchObject({ done: 100, state: 'RUNNING' });
      await stranger.letGo();
      expect(await endedInTime(locked.id)).toMatchObject({ done: 250 });
    },
  );
});
