import { beforeEach, describe, expect, it } from '@jest/globals';
import { Acceptor } from '../../src/engine/accept/acceptor.js';
import { newId } from '../../src/platform/ids/ids.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { newNotification } from '../support/new-notification.js';
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
    { id, name }: { id: string; name: string },
    outcome: string,
    trigger_id: unknown = null,
  ) => {
    return { webhook_id: id, name, outcome, trigger_id };
  };
  const outcomesOf = async (id: string): Promise<string[]> =>
    (await find(id)).decisions.map(({ outcome }: { outcome: string }) => outcome);
  const setOf = async (id: string): Promise<string | null> => {
    const sql = 'SELECT decision_set FROM webhook_notification WHERE id = ?';
    return (await service.query(sql, [id]))[0].decision_set;
  };

  it('name every webhook of the user, with the first reason that holds', async () => {
    const off = { enabled: false };
    const eventOff = { events: [{ kind: 'RECORD_FINISHED', enabled: false }] };
    const other = { events: ['STATUS_CHANGED'] };
    const expected: [fields: object, outcome: string][] = [
      [{}, 'triggered'],
      [off, 'webhook_disabled'],
      [{ ...off, ...other }, 'webhook_disabled'],
      [other, 'not_subscribed'],
      [{ events: [] }, 'not_subscribed'],
      [eventOff, 'event_disabled'],
      [{ ...off, ...eventOff }, 'webhook_disabled'],
    ];
    const webhooks: { id: string; name: string }[] = [];
    for (const [fields] of expected) webhooks.push(await create(fields));
    await createWebhook(service, { user_id: user.toUpperCase() });
    const { id, triggers } = await notified();
    expect(triggers).toEqual([{ id: expect.any(String), webhook_id: webhooks[0]?.id }]);
    expect((await find(id)).decisions).toEqual(
      webhooks.map((webhook, at) =>
        decision(webhook, expected[at]?.[1] ?? '', at === 0 ? triggers[0].id : null),
      ),
    );
  });

  it('are empty for a user without webhooks, and the notification is kept', async () => {
    const { id, triggered_at, triggers } = await notified();
    expect(triggers).toEqual([]);
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
    expect(await outcomesOf((await notified()).id)).toEqual(['triggered', 'triggered']);
  });

  it('keep a deleted webhook where it was triggered, without a name, and leave it out elsewhere', async () => {
    const triggered = await create();
    const skipped = await create({ events: [] });
    const { id, triggers } = await notified();
    for (const webhook of [triggered, skipped]) await service.call('DELETE', `/v1/webhook?id=${webhook.id}`);
    expect((await find(id)).decisions).toEqual([
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
      expect((await find(body.notification_id)).decisions).toEqual([decision(tested, 'triggered', body.id)]);
      expect(await setOf(body.notification_id)).toBeNull();
    }
  });

  it('share one stored set, and need none where nobody is skipped', async () => {
    await create();
    expect(await setOf((await notified()).id)).toBeNull();
    await create({ events: [] });
    const one = await notified();
    const together = await Promise.all(Array.from({ length: 20 }, () => notified()));
    const ids: string[] = [one, ...together].map(({ id }) => id);
    const [set, ...others] = new Set(await Promise.all(ids.map(setOf)));
    expect(others).toEqual([]);
    expect(await service.query('SELECT id FROM webhook_decision_set WHERE id = ?', [set])).toHaveLength(1);
    for (const id of ids) expect(await outcomesOf(id)).toEqual(['triggered', 'not_subscribed']);
  });

  it('never tell a webhook of itself: it counts as filtered, unless another reason comes first', async () => {
    const about = [await create(), await create(), await create()];
    const off = await create({ enabled: false });
    const acceptedAbout = async (aboutWebhookId: string) => {
      const notification = newNotification({ userId: user, aboutWebhookId });
      const { triggers } = await service.get(Acceptor).accept({ notification });
      return [triggers.map(({ webhookId }) => webhookId), await outcomesOf(notification.id)];
    };
    const [first, one, last] = about.map(({ id }) => id);
    const triggered = 'triggered';
    expect(await acceptedAbout(one)).toEqual([
      [first, last],
      [triggered, 'filtered', triggered, 'webhook_disabled'],
    ]);
    expect(await acceptedAbout(off.id)).toEqual([
      [first, one, last],
      [triggered, triggered, triggered, 'webhook_disabled'],
    ]);
  });

  it('say triggered once a recovery has made a trigger for a skipped webhook', async () => {
    const skipped = await create({ events: [] });
    const { id } = await notified();
    const trigger = newId();
    await service.query(
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
