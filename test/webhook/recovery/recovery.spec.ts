import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService, useTestClock } from '../../support/fixture.js';
import {
  finished,
  type Json,
  newUser,
  notify,
  notifyTimes,
  trigger,
  triggerWhen,
} from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { HOUR_MS, recoveriesBy, secondsOf } from './scene.js';

describe.each(databases)('recovering a webhook on $name', (kind) => {
  // Ids go by the machine's clock: whatever is made lies before a recovery that begins.
  const clock = useTestClock(new TestClock(Date.now() + HOUR_MS));
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const { count, recover, recovered, recovery, rowsOf } = recoveriesBy(service);
  const receiver = useReceiver();
  const patch = (path: string, body: object) => service.call('PATCH', path, body);
  let paths = 0;

  /** A webhook with a path of its own. */
  async function webhook(user_id = newUser(), more: object = {}): Promise<Json> {
    const path = `/recovered-${++paths}`;
    return { path, ...(await createWebhook(service, { user_id, url: receiver.url + path, ...more })) };
  }
  const idsAt = ({ path }: Json) => receiver.at(path).map(({ headers }) => headers['webhook-id']);
  const arrived = (of: Json, ids: string[]) => until(() => idsAt(of).length >= ids.length);

  it('delivers failed triggers, on a new retry schedule', async () => {
    const user = newUser();
    const mine = await webhook(user);
    receiver.respondWith(mine.path, { status: 400 });
    const ids = [await trigger(service, user), await trigger(service, user)];
    for (const id of ids)
      expect(await finished(service, id)).toMatchObject({ status: 'FAILED', attempt_count: 2 });
    receiver.respondWith(mine.path, ({ headers }) => ({
      status: headers['webhook-attempt'] === '3' ? 400 : 200,
    }));
    expect(await recover(mine.id)).toMatchObject({ status: 202, body: { triggers: 2 } });
    for (const id of ids) {
      const done = await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
      const causes = done.attempts.map(({ cause }: Json) => cause);
      expect(causes).toEqual(['schedule', 'schedule', 'recover', 'schedule']);
    }
    expect(await count(mine.id)).toBe(0);
  });

  it('waits for a receiver that is down, and goes on when it is back', async () => {
    const user = newUser();
    await notifyTimes(200, service, user);
    const mine = await webhook(user);
    receiver.respondWith(mine.path, { status: 503 });
    const second = secondsOf(service, clock);
    const { body } = await recover(mine.id, { missed: true, per_second: 20 });
    const goesOn = async () => {
      await second();
      const isSending = ({ status }: Json) => status === 'DELIVERING';
      await until(async () => !(await rowsOf(mine.id)).some(isSending));
      return (await recovery(body.id)).done;
    };
    // At its pace it would be over. Three seconds' worth waits, besides the few that are tried between growing pauses.
    let done = 0;
    for (let seconds = 0; seconds < 12; seconds++) done = await goesOn();
    expect(done).toBeGreaterThanOrEqual(60);
    expect(done).toBeLessThanOrEqual(100);
    receiver.respondWith(mine.path, {});
    await until(async () => (await goesOn()) > done);
  });

  describe('with what was missed', () => {
    it('sends notifications from before the webhook, with their id and time', async () => {
      const user = newUser();
      const accepted = [];
      for (let made = 0; made < 3; made++) accepted.push((await notify(service, user)).body);
      const mine = await webhook(user);
      expect(await count(mine.id)).toBe(0);
      expect(await count(mine.id, { missed: true })).toBe(3);
      expect(await recovered(mine.id, { missed: true })).toMatchObject({ total: 3, done: 3 });
      const ids = accepted.map(({ id }) => id);
      await arrived(mine, ids);
      expect(idsAt(mine).sort()).toEqual(ids);
      const times = receiver.at(mine.path).map(({ body }) => JSON.parse(String(body)).triggered_at);
      expect(times.sort()).toEqual(accepted.map(({ triggered_at }) => triggered_at));
      const rows = await rowsOf(mine.id);
      for (const { id } of rows)
        expect(await finished(service, id)).toMatchObject({
          status: 'SUCCEEDED',
          attempts: [{ cause: 'recover' }],
        });
      const wanted = { event_kind: 'RECORD_FINISHED', user_id: user };
      expect(rows).toMatchObject(ids.map((notification_id) => ({ ...wanted, notification_id })));
    });

    it('makes one trigger for a notification ever, however often it runs', async () => {
      const user = newUser();
      await notifyTimes(5, service, user);
      const mine = await webhook(user);
      for (let run = 0; run < 3; run++) await recovered(mine.id, { missed: true });
      const rows = await rowsOf(mine.id);
      expect(rows).toHaveLength(5);
      for (const row of rows) await finished(service, row.id);
      expect(idsAt(mine)).toHaveLength(5);
      expect(await recovered(mine.id, { missed: true })).toMatchObject({ total: 0, done: 0 });
    });

    it('takes in what came while the webhook or the event was off, or not subscribed', async () => {
      const user = newUser();
      const mine = await webhook(user, { events: ['RECORD_FINISHED', 'STATUS_CHANGED'] });
      const [event] = mine.events;
      const missed: string[] = [];
      const miss = async () => missed.push((await notify(service, user)).body.id);
      await patch('/v1/webhook', { id: mine.id, enabled: false });
      await miss();
      await patch('/v1/webhook', { id: mine.id, enabled: true });
      await patch('/v1/webhook/event', { id: event.id, enabled: false });
      await miss();
      await service.call('DELETE', `/v1/webhook/event?id=${event.id}`);
      await miss();
      expect(await count(mine.id, { missed: true })).toBe(0);
      await service.call('POST', '/v1/webhook/event', { webhook_id: mine.id, kind: 'RECORD_FINISHED' });
      expect(await recovered(mine.id, { missed: true })).toMatchObject({ total: 3, done: 3 });
      await arrived(mine, missed);
      expect(idsAt(mine).sort()).toEqual(missed);
    });

    it('brings back what failed as well, for an event that was made again', async () => {
      const user = newUser();
      const mine = await webhook(user, { events: ['RECORD_FINISHED'] });
      receiver.respondWith(mine.path, { status: 400 });
      const id = await trigger(service, user);
      await finished(service, id);
      await service.call('DELETE', `/v1/webhook/event?id=${mine.events[0].id}`);
      await service.call('POST', '/v1/webhook/event', { webhook_id: mine.id, kind: 'RECORD_FINISHED' });
      receiver.respondWith(mine.path, { status: 200 });
      expect(await count(mine.id)).toBe(0);
      expect(await recovered(mine.id, { missed: true })).toMatchObject({ total: 1, done: 1 });
      await until(async () => (await rowsOf(mine.id))[0].status === 'SUCCEEDED');
      expect(await rowsOf(mine.id)).toMatchObject([{ id }]);
    });

    it('leaves out tests, other users, other kinds, and what is about the webhook itself', async () => {
      const user = newUser();
      const other = await webhook(user);
      await service.call('POST', '/v1/webhook/test', { id: other.id, event_kind: 'RECORD_FINISHED' });
      await notify(service, newUser());
      await notify(service, user, { event_kind: 'STATUS_CHANGED' });
      const { body } = await notify(service, user);
      const events = ['RECORD_FINISHED', { kind: 'STATUS_CHANGED', enabled: false }];
      const mine = await webhook(user, { events });
      const sql = 'UPDATE webhook_notification SET about_webhook_id = ? WHERE id = ?';
      await service.query(sql, [mine.id, body.id]);
      expect(await recovered(mine.id, { missed: true })).toMatchObject({ total: 0, done: 0 });
      expect(await rowsOf(mine.id)).toEqual([]);
    });
  });
});
