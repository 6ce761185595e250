import { beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { NewNotification } from '../../src/engine/accept/accept.repository.js';
import { Acceptor } from '../../src/engine/accept/acceptor.js';
import { newId } from '../../src/platform/ids/ids.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newUser, notify, record } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('the decisions of a notification on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  const create = (fields: object = {}) => createWebhook(service, { user_id: user, ...fields });
  const find = async (id: string) => (await service.call('GET', `/v1/notification?id=${id}`)).body;
  const notified = async (more: object = {}) => {
    const { status, body } = await notify(service, user, more as Record<string, unknown>);
    expect(status).toBe(202);
    return body;
  };
  const decision = (
    webhook: { id: string; name: string },
    outcome: string,
    trigger_id: string | null = null,
  ) => ({
    webhook_id: webhook.id,
    name: webhook.name,
    outcome,
    trigger_id,
  });
  const setsOf = async (ids: string[]): Promise<(string | null)[]> => {
    const rows = await service.app
      .get(DataSource)
      .query<{ id: string; decision_set: string | null }[]>(
        `SELECT id, decision_set FROM webhook_notification WHERE id IN (${ids.map(() => '?').join(', ')})`,
        ids,
      );
    return ids.map((id) => rows.find((row) => row.id === id)?.decision_set ?? null);
  };

  it('name every webhook of the user, with the first reason that holds', async () => {
    const gets = await create({ name: 'gets it' });
    const off = await create({ name: 'off', enabled: false });
    const offAndOther = await create({ name: 'off too', enabled: false, events: ['STATUS_CHANGED'] });
    const other = await create({ name: 'other kind', events: ['STATUS_CHANGED'] });
    const nothing = await create({ name: 'no events', events: [] });
    const eventOff = await create({
      name: 'event off',
      events: [{ kind: 'RECORD_FINISHED', enabled: false }],
    });
    const allOff = await create({
      name: 'all off',
      enabled: false,
      events: [{ kind: 'RECORD_FINISHED', enabled: false }],
    });
    await createWebhook(service, { user_id: newUser() });
    const { id, triggers } = await notified();
    expect((await find(id)).decisions).toEqual([
      decision(gets, 'triggered', triggers[0].id),
      decision(off, 'webhook_disabled'),
      decision(offAndOther, 'webhook_disabled'),
      decision(other, 'not_subscribed'),
      decision(nothing, 'not_subscribed'),
      decision(eventOff, 'event_disabled'),
      decision(allOff, 'webhook_disabled'),
    ]);
  });

  it('are empty for a user without webhooks, and the notification is kept', async () => {
    const { id, triggered_at } = await notified();
    expect(await find(id)).toEqual({
      id,
      user_id: user,
      event_kind: 'RECORD_FINISHED',
      record_id: 'rec_1',
      triggered_at,
      erased_at: null,
      triggers: { pending: 0, delivering: 0, succeeded: 0, failed: 0, cancelled: 0 },
      data: record,
      decisions: [],
    });
  });

  it('tell of the time of the notification, under the present names', async () => {
    const one = await create({ enabled: false });
    const { id } = await notified();
    await service.call('PATCH', '/v1/webhook', { id: one.id, enabled: true, name: 'renamed' });
    await create({ name: 'came later' });
    expect((await find(id)).decisions).toEqual([decision({ ...one, name: 'renamed' }, 'webhook_disabled')]);
    const later = await notified();
    expect((await find(later.id)).decisions).toMatchObject([
      { outcome: 'triggered' },
      { outcome: 'triggered' },
    ]);
  });

  it('keep a deleted webhook where it was triggered, without a name, and leave it out elsewhere', async () => {
    const triggered = await create();
    const skipped = await create({ events: [] });
    const { id, triggers } = await notified();
    for (const { id: webhook } of [triggered, skipped])
      await service.call('DELETE', `/v1/webhook?id=${webhook}`);
    const found = await find(id);
    expect(found.decisions).toEqual([
      { webhook_id: triggered.id, name: null, outcome: 'triggered', trigger_id: triggers[0].id },
    ]);
    // The first attempt may have been under way: what is delivering is cancelled by its result.
    await until(async () => (await find(id)).triggers.cancelled === 1);
  });

  it('of a test name its webhook only', async () => {
    const tested = await create({ enabled: true, events: [] });
    await create();
    for (const event_kind of [undefined, 'RECORD_FINISHED']) {
      const { body } = await service.call('POST', '/v1/webhook/test', { id: tested.id, event_kind });
      const found = await find(body.notification_id);
      expect(found.decisions).toEqual([decision(tested, 'triggered', body.id)]);
      expect(await setsOf([body.notification_id])).toEqual([null]);
    }
  });

  it('share one stored set, and need none where nobody is skipped', async () => {
    await create();
    const before = await notified();
    expect(await setsOf([before.id])).toEqual([null]);
    await create({ events: [] });
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await notified()).id);
    const together = await Promise.all(Array.from({ length: 20 }, () => notified()));
    ids.push(...together.map(({ id }) => id));
    const sets = await setsOf(ids);
    expect(new Set(sets).size).toBe(1);
    const rows = await service.app
      .get(DataSource)
      .query(`SELECT id FROM webhook_decision_set WHERE id = ?`, [sets[0]]);
    expect(rows).toHaveLength(1);
    for (const id of ids)
      expect((await find(id)).decisions.map((one: { outcome: string }) => one.outcome)).toEqual([
        'triggered',
        'not_subscribed',
      ]);
  });

  it('are those of the first call when it is repeated', async () => {
    const one = await create();
    const other = await create({ events: [] });
    const body = { event_kind: 'RECORD_FINISHED', user_id: user, record };
    const post = () =>
      service.call('POST', '/v1/notification', body, { headers: { 'Idempotency-Key': `key of ${user}` } });
    const first = await post();
    await service.call('PATCH', '/v1/webhook', { id: other.id, enabled: false });
    const again = await post();
    expect(again.body).toEqual(first.body);
    expect((await find(first.body.id)).decisions).toEqual([
      decision(one, 'triggered', first.body.triggers[0].id),
      decision(other, 'not_subscribed'),
    ]);
    const { body: list } = await service.call('GET', `/v1/notification/list?user_id=${user}`);
    expect(list.data).toHaveLength(1);
  });

  it('never tell a webhook of itself: it counts as filtered, unless another reason comes first', async () => {
    const [one, about, last] = [await create(), await create(), await create()];
    const off = await create({ enabled: false });
    const intake = service.get(Acceptor);
    const notification = (aboutWebhookId: string): NewNotification => ({
      id: newId(),
      userId: user,
      eventKind: 'RECORD_FINISHED',
      triggeredAt: Date.now(),
      traceparent: null,
      hops: 0,
      body: Buffer.from('{"data":{"id":"w"},"triggered_at":"x","event_kind":"RECORD_FINISHED"}'),
      recordId: null,
      aboutWebhookId,
      isTest: false,
    });
    const [ofOne, ofOff] = await Promise.all([
      intake.accept({ notification: notification(about.id) }),
      intake.accept({ notification: notification(off.id) }),
    ]);
    expect(ofOne.triggers.map(({ webhookId }) => webhookId)).toEqual([one.id, last.id]);
    expect(ofOff.triggers).toHaveLength(3);
    const outcomes = async (id: string) =>
      (await find(id)).decisions.map(({ outcome }: { outcome: string }) => outcome);
    const expected = ['triggered', 'filtered', 'triggered', 'webhook_disabled'];
    expect(await outcomes(ofOne.notification.id)).toEqual(expected);
    expect(await outcomes(ofOff.notification.id)).toEqual([
      'triggered',
      'triggered',
      'triggered',
      'webhook_disabled',
    ]);
  });

  it('say triggered once a recovery has made a trigger for a skipped webhook', async () => {
    const skipped = await create({ events: [] });
    const { id } = await notified();
    const trigger = newId();
    await service.app.get(DataSource).query(
      `INSERT INTO webhook_trigger (id, notification_id, webhook_id, event_kind, user_id, status, next_attempt_at)
       VALUES (?, ?, ?, 'RECORD_FINISHED', ?, 'SUCCEEDED', 0)`,
      [trigger, id, skipped.id, user],
    );
    expect(await find(id)).toMatchObject({
      decisions: [decision(skipped, 'triggered', trigger)],
      triggers: { succeeded: 1 },
    });
  });
});
