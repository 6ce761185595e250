import { beforeAll, describe, expect, it } from '@jest/globals';
import { NO_ID } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import {
  ATTEMPTS,
  advance,
  count,
  databaseOf,
  ended,
  HOUR_MS,
  iso,
  type Json,
  NOBODY_LISTENS,
  recover,
  recovered,
  recovery,
  recoveryWhen,
  rowsOf,
  store,
} from '../../webhook/recovery/scene.js';

describe.each(databases)('a recovery on $name', (kind) => {
  // It makes triggers due, and nobody sends them.
  const service = useService(kind, { ROLE: 'api' });
  beforeAll(() => advance(service));
  const webhook = (user = newUser()): Promise<Json> =>
    createWebhook(service, { user_id: user, url: NOBODY_LISTENS });
  const pendingOf = async (id: string) =>
    (await rowsOf(service, id)).filter(({ status }) => status === 'PENDING');

  it('makes due only failed and cancelled triggers of that webhook, each on a fresh schedule', async () => {
    const mine = await webhook();
    const now = Date.now();
    const wanted = [
      ...(await store(service, mine, [now - 3000])),
      ...(await store(service, mine, [now - 2000], { status: 'CANCELLED' })),
    ];
    await store(service, mine, [now - 1000], { status: 'SUCCEEDED' });
    await store(service, mine, [now - 1000], { eventId: null });
    await store(service, mine, [now - 1000], { eventId: NO_ID });
    const other = await webhook();
    await store(service, other, [now - 2500]);
    expect(await recovered(service, mine.id)).toMatchObject({ state: 'DONE', total: 2, done: 2 });
    const pending = await pendingOf(mine.id);
    expect(pending.map(({ id }) => id)).toEqual(wanted);
    const fresh = { attempt_count: ATTEMPTS, schedule_offset: ATTEMPTS, lease: 4, cause: 'recover' };
    expect(pending).toMatchObject([fresh, fresh]);
    expect(pending.map(({ end_at }) => Number(end_at))).toEqual([0, 0]);
    expect(await rowsOf(service, mine.id)).toHaveLength(5);
    expect(await rowsOf(service, other.id)).toMatchObject([{ status: 'FAILED' }]);
    expect(await recovered(service, mine.id)).toMatchObject({ state: 'DONE', total: 0, done: 0 });
  });

  it('leaves out what is erased or past retention', async () => {
    const mine = await webhook();
    const [gone] = await store(service, mine, [Date.now() - 2000, Date.now() - 1000]);
    const [{ notification_id }] = await rowsOf(service, mine.id);
    await databaseOf(service).query('UPDATE webhook_notification SET payload_gone_at = 1 WHERE id = ?', [
      notification_id,
    ]);
    for (const missed of [false, true]) await recovered(service, mine.id, { missed });
    expect(await rowsOf(service, mine.id)).toMatchObject([
      { id: gone, status: 'FAILED' },
      { status: 'PENDING' },
    ]);
  });

  it('goes oldest first, and takes what was failed and cancelled in one order', async () => {
    const mine = await webhook();
    const at = Date.now() - HOUR_MS;
    const failed = await store(service, mine, [at, at + 2, at + 4]);
    const cancelled = await store(service, mine, [at + 1, at + 3], { status: 'CANCELLED' });
    const { body } = await recover(service, mine.id, { per_second: 2 });
    await ended(service, body.id);
    const order = (await pendingOf(mine.id)).sort(
      (a, b) => Number(a.next_attempt_at) - Number(b.next_attempt_at),
    );
    expect(order.map(({ id }) => id)).toEqual([...failed, ...cancelled].sort());
  });

  it('holds its pace, and waits while nothing of it is sent', async () => {
    const mine = await webhook();
    const at = Date.now() - HOUR_MS;
    await store(
      service,
      mine,
      Array.from({ length: 400 }, (_, i) => at + i),
    );
    const { body } = await recover(service, mine.id, { per_second: 50 });
    expect(body).toMatchObject({ triggers: 400, total: 400, done: 0 });
    // Three seconds' worth may wait.
    await recoveryWhen(service, body.id, ({ done }) => done >= 150);
    const due = (await pendingOf(mine.id)).map((row) => Number(row.next_attempt_at)).sort();
    const seconds = ((due.at(-1) as number) - (due[0] as number)) / 1000;
    expect(due.length / seconds).toBeGreaterThan(40);
    expect(due.length / seconds).toBeLessThan(60);
    const waited = Date.now() + 1500;
    await until(() => Date.now() > waited);
    expect((await recovery(service, body.id)).done).toBeLessThanOrEqual(175);
    // Once they are sent it goes on.
    await databaseOf(service).query(
      `UPDATE webhook_trigger SET status = 'SUCCEEDED' WHERE webhook_id = ? AND status = 'PENDING'`,
      [mine.id],
    );
    await recoveryWhen(service, body.id, ({ done }) => done > 200);
  });

  it('ends at its begin, even if "until" lies in the future', async () => {
    const mine = await webhook();
    await store(service, mine, [Date.now() - 1000]);
    await store(service, mine, [Date.now() + HOUR_MS]);
    const until = iso(Date.now() + 2 * HOUR_MS);
    expect(await recovered(service, mine.id, { until })).toMatchObject({ until, total: 1, done: 1 });
  });

  it.each([
    ['disabled', (id: string) => service.call('PATCH', '/v1/webhook', { id, enabled: false })],
    ['deleted', (id: string) => service.call('DELETE', `/v1/webhook?id=${id}`)],
  ])('stops when its webhook is %s', async (_, call) => {
    const mine = await webhook();
    const at = Date.now() - HOUR_MS;
    await store(
      service,
      mine,
      Array.from({ length: 100 }, (_, i) => at + i),
    );
    const { body } = await recover(service, mine.id);
    await recoveryWhen(service, body.id, ({ done }) => done > 0);
    await call(mine.id);
    const stopped = await ended(service, body.id, 5000);
    expect(stopped).toMatchObject({ state: 'STOPPED', total: 100 });
    expect(stopped.done).toBeLessThan(50);
    expect(await pendingOf(mine.id)).toEqual([]);
    expect((await service.call('GET', `/v1/webhook/recover/list?webhook_id=${mine.id}`)).body.data).toEqual([
      stopped,
    ]);
  });

  it('finds the few of a webhook among tens of thousands of others', async () => {
    const [mine, other] = [await webhook(), await webhook()];
    const at = Date.now() - HOUR_MS;
    const times = (count: number, from: number) => Array.from({ length: count }, (_, i) => from + i);
    await store(service, mine, times(20_000, at), { status: 'SUCCEEDED' });
    await store(service, other, times(20_000, at));
    const wanted = await store(service, mine, [at - 1, at + 10_000, at + 30_000]);
    for (const missed of [false, true]) {
      expect(await count(service, mine.id, { missed })).toBe(3);
      expect(await recovered(service, mine.id, { missed })).toMatchObject({ total: 3, done: 3 });
      expect((await pendingOf(mine.id)).map(({ id }) => id)).toEqual([...wanted].sort());
      await databaseOf(service).query(
        `UPDATE webhook_trigger SET status = 'FAILED', next_attempt_at = 0 WHERE webhook_id = ? AND status = 'PENDING'`,
        [mine.id],
      );
    }
  }, 60_000);

  it('goes on beside new notifications', async () => {
    const user = newUser();
    const mine = await webhook(user);
    await store(service, mine, [Date.now() - 1000]);
    const [{ body }] = await Promise.all([
      recover(service, mine.id, { missed: true, until: iso(Date.now() + HOUR_MS) }),
      ...Array.from({ length: 30 }, () => notify(service, user)),
    ]);
    await ended(service, body.id);
    const rows = await rowsOf(service, mine.id);
    expect(new Set(rows.map((row) => row.notification_id)).size).toBe(31);
    expect(rows).toHaveLength(31);
  });
});
