import { beforeEach, describe, expect, it } from '@jest/globals';
import { HealthRepository } from '../../src/engine/health/health.repository.js';
import { WebhookService } from '../../src/index.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { systemClock } from '../../src/platform/clock.js';
import { timeOfId } from '../../src/platform/ids/first-id.js';
import { Database } from '../../src/store/database.js';
import { WaitingRepository } from '../../src/webhook/health/waiting.repository.js';
import { DAY_MS, type Status, store } from '../retention/stored.js';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import {
  attempted,
  finished,
  type Json,
  newUser,
  notify,
  notifyTimes,
  trigger,
  untilOver,
} from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const NOTHING = { waiting: 0, oldest_due_at: null, next_attempt_at: null };

describe.each(databases)('the health in answers about a webhook on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver('test');
  let user: string;
  let id: string;
  let created: Json;
  beforeEach(async () => {
    user = newUser();
    created = await createWebhook(service, { user_id: user, url: receiver.url });
    id = created.id;
  });

  const webhook = async () => (await service.call('GET', `/v1/webhook?id=${id}`)).body;
  const row = async () => (await service.query('SELECT * FROM webhook WHERE id = ?', [id]))[0] as Json;
  const health = async () => (await webhook()).health;
  const patch = async (change: object) =>
    (await service.call('PATCH', '/v1/webhook', { id, ...change })).body;
  /** Resolves with the health once it is in this state. */
  const healthy = (state: string) =>
    until(
      async () => {
        const now = await health();
        return now.state === state && now;
      },
      { what: `the state ${state}` },
    );
  const attempt = (status: number, headers = {}) => {
    receiver.respondWith({ status, headers });
    return untilOver(service, async () => attempted(service, await trigger(service, user)));
  };
  const lastAttempt = ({ attempts }: Json) => attempts.at(-1);
  /** Resolves once what the webhook shows is the diagnosis of this trigger's last attempt. */
  const diagnosed = (failed: Json) =>
    until(async () => (await health()).diagnosis?.summary === lastAttempt(failed).diagnosis.summary, {
      what: 'the diagnosis',
    });

  it('is idle, or off, before anything was attempted', async () => {
    const idle = { state: 'idle', since: created.created_at, diagnosis: null, ...NOTHING };
    expect(created.health).toEqual(idle);
    expect(await health()).toEqual(idle);
    const off = await createWebhook(service, { user_id: user, enabled: false });
    expect(off.health).toEqual({ ...idle, state: 'off', since: off.created_at });
    const list = await service.call('GET', `/v1/webhook/list?user_id=${user}`);
    expect(list.body.data.map((one: Json) => one.health)).toEqual([off.health, idle]);
  });

  it('is delivering since the first attempt that succeeded', async () => {
    const first = await attempt(200);
    const delivering = { state: 'delivering', since: lastAttempt(first).end, diagnosis: null, ...NOTHING };
    expect(await health()).toEqual(delivering);
    const last = await attempt(200);
    expect(await health()).toEqual(delivering);
    // Another process, which has not seen yet that it is delivering.
    const { generation } = await row();
    await service
      .get(HealthRepository)
      .works({ webhookId: id, generation, failing: null }, Date.parse(lastAttempt(last).end) + 1);
    expect(await health()).toEqual(delivering);
  });

  it('is failing since the first attempt that failed, and delivering again after a success', async () => {
    await attempt(200);
    const first = await attempt(400);
    const second = await attempt(400);
    await diagnosed(first);
    expect(await health()).toEqual({
      state: 'failing',
      since: first.attempts[0].begin,
      diagnosis: first.attempts[0].diagnosis,
      waiting: 2,
      oldest_due_at: expect.any(String),
      next_attempt_at: [first, second].map((failed) => failed.next_attempt_at).sort()[0],
    });
    const last = await attempt(200);
    expect(await health()).toMatchObject({
      state: 'delivering',
      since: lastAttempt(last).end,
      diagnosis: null,
      waiting: 2,
    });
  });

  it('shows what the last failed attempt means, whatever waits behind it', async () => {
    await patch({ settings: { concurrency: 1 } });
    // Faster than each would be stored.
    for (const status of [400, 403]) await attempt(status);
    const last = await attempt(404);
    await diagnosed(last);
    const release = receiver.hold();
    const before = receiver.requests.length;
    await notifyTimes(5, service, user);
    await receiver.waitFor(before + 1);
    expect(await health()).toMatchObject({
      state: 'failing',
      diagnosis: lastAttempt(last).diagnosis,
      waiting: 8,
    });
    release();
    await healthy('delivering');
  });

  it('is paused while its receiver is left alone', async () => {
    const busy = await attempt(429, { 'retry-after': '600' });
    await notify(service, user);
    await diagnosed(busy);
    await healthy('paused');
    const { health: paused, paused_until } = await webhook();
    expect(paused).toMatchObject({
      state: 'paused',
      diagnosis: lastAttempt(busy).diagnosis,
      next_attempt_at: paused_until,
      waiting: 2,
    });
    expect(paused.since >= lastAttempt(busy).begin && paused.since < paused_until).toBe(true);
    const { length } = receiver.requests;
    await untilOver(service, async () => {
      await service.call('POST', '/v1/webhook/trigger/retry', { id: busy.id });
      await attempted(service, busy.id, 2);
    });
    expect(receiver.requests).toHaveLength(length + 1);
    await until(async () => (await webhook()).paused_until > paused_until, { what: 'another pause' });
    expect(await health()).toMatchObject({ state: 'paused', since: paused.since });
    receiver.respondWith({});
    await service.call('POST', '/v1/webhook/trigger/retry', { id: busy.id });
    await finished(service, busy.id);
    await healthy('delivering');
  });

  it('stays paused when an attempt succeeds that was under way before', async () => {
    const answer = Promise.withResolvers<void>();
    receiver.respondWith([{ after: answer.promise }, { status: 429, headers: { 'retry-after': '600' } }]);
    const before = receiver.requests.length;
    const early = await trigger(service, user);
    await receiver.waitFor(before + 1);
    await notify(service, user);
    const paused = await healthy('paused');
    answer.resolve();
    await finished(service, early);
    expect(await health()).toMatchObject({ state: 'paused', since: paused.since });
  });

  it('is failing since its first failure, however long nothing is sent after it', async () => {
    const first = await attempt(400);
    moveClock(10 * DAY_MS);
    await attempt(400);
    expect(await health()).toMatchObject({ state: 'failing', since: first.attempts[0].begin });
    expect(Number((await row()).failing_since)).toBeGreaterThan(Date.parse(first.attempts[0].begin));
  });

  it('is off since it was switched off, and idle since it was switched on', async () => {
    await diagnosed(await attempt(400));
    const off = await patch({ enabled: false });
    const { health: shown, updated_at } = off;
    expect(shown).toMatchObject({ state: 'off', diagnosis: null, ...NOTHING });
    expect(Math.abs(Date.parse(shown.since) - Date.parse(updated_at))).toBeLessThanOrEqual(1);
    for (const change of [{ enabled: false }, { name: 'other' }, { url: `${receiver.url}/new` }])
      expect((await patch(change)).health).toEqual(shown);
    const on = await patch({ enabled: true });
    expect(on.health).toMatchObject({ state: 'idle', diagnosis: null, ...NOTHING });
    expect(on.health.since >= shown.since).toBe(true);
    // The same failure as before, but of this receiver nothing was shown yet.
    const again = await attempt(400);
    await diagnosed(again);
    expect(await health()).toMatchObject({ state: 'failing', since: again.attempts[0].begin });
    const elsewhere = await patch({ url: `${receiver.url}/elsewhere` });
    expect(elsewhere.health).toMatchObject({ state: 'idle', diagnosis: null, waiting: 1 });
  });

  it('is off with what ended it if the service disabled it', async () => {
    await attempt(200);
    const gone = await attempt(410);
    await diagnosed(gone);
    expect(await health()).toMatchObject({
      state: 'off',
      diagnosis: lastAttempt(gone).diagnosis,
      ...NOTHING,
    });
    expect((await health()).since >= lastAttempt(gone).begin).toBe(true);
  });

  it('says no more of an attempt whose data was erased than the attempt does', async () => {
    const { body } = await notify(service, user, { record: { id: 'rec_secret', name: 'x', analysis: [] } });
    receiver.respondWith({ status: 400 });
    const failed = await attempted(service, body.triggers[0].id);
    await until(async () => (await health()).diagnosis);
    await service.call('DELETE', `/v1/notification?user_id=${user}&record_id=rec_secret`);
    const trigger = await service.call('GET', `/v1/webhook/trigger?id=${failed.id}`);
    expect((await health()).diagnosis).toEqual(trigger.body.attempts[0].diagnosis);
  });

  it('does not change the ETag', async () => {
    const tag = async () => (await service.call('GET', `/v1/webhook?id=${id}`)).headers.get('etag');
    const before = await tag();
    await attempt(200);
    expect(await tag()).toBe(before);
    await diagnosed(await attempt(400));
    expect(await tag()).toBe(before);
  });

  it('counts what waits for each webhook, and since when the oldest does', async () => {
    const other = await createWebhook(service, { user_id: user, url: receiver.url, events: [] });
    const first = await attempt(400);
    for (let n = 0; n < 3; n++) await notify(service, user);
    const { body } = await service.call('GET', `/v1/webhook/list?user_id=${user}`);
    expect(body.data.map((one: Json) => [one.id, one.health.waiting])).toEqual([
      [other.id, 0],
      [id, 4],
    ]);
    expect(Date.parse(body.data[1].health.oldest_due_at)).toBe(timeOfId(first.id));
  });

  it('is in what services of an application answer', async () => {
    const failed = await attempt(400);
    await diagnosed(failed);
    const shown = await service.get(WebhookService).find(user, id);
    const { oldest_due_at, next_attempt_at, ...same } = await health();
    expect(shown.health).toEqual({ ...same, oldestDueAt: oldest_due_at, nextAttemptAt: next_attempt_at });
  });

  it('counts the same in parts, however many triggers of others there are', async () => {
    class InParts extends WaitingRepository {
      protected override readonly atOnce: number = 3;
    }
    // Otherwise leases of nobody would be taken back.
    await service.app.get(Jobs).quiet();
    const ids = ['webhook-a', 'webhook-b', 'webhook-c'];
    const statuses: Status[] = ['PENDING', 'FAILED', 'PENDING', 'DELIVERING', 'SUCCEEDED', 'PENDING'];
    const given = [40, 30, 20, 10].flatMap((ageMs) =>
      ids.map((webhookId) => ({ ageMs: ageMs * 60_000, statuses, webhookId })),
    );
    await store(service, given);
    const parts = await new InParts(service.get(Database), systemClock).of(ids.slice(0, 2));
    expect(parts).toEqual(await service.get(WaitingRepository).of(ids.slice(0, 2)));
    expect([...parts].map(([of, { count }]) => [of, count]).sort()).toEqual([
      ['webhook-a', 16],
      ['webhook-b', 16],
    ]);
  });
});
