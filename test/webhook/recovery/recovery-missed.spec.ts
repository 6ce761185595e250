import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, notify, trigger } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { count, databaseOf, type Json, recovered, rowsOf } from './scene.js';

describe.each(databases)('a recovery with what was missed, on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.02' });
  const receiver = useReceiver();
  const patch = (path: string, body: object) => service.call('PATCH', path, body);
  let paths = 0;

  /** A webhook with a path of its own. */
  async function webhook(user: string, more: object = {}): Promise<Json> {
    return createWebhook(service, { user_id: user, url: `${receiver.url}/missed-${++paths}`, ...more });
  }
  const idsAt = ({ url }: Json) =>
    receiver.requests
      .filter(({ path }: Json) => path === new URL(url).pathname)
      .map(({ headers }: Json) => headers['webhook-id']);
  const arrived = (of: Json, ids: string[]) => until(() => idsAt(of).length >= ids.length);

  it('sends notifications from before the webhook, with their id and time', async () => {
    const user = newUser();
    const accepted = [];
    for (let made = 0; made < 3; made++) accepted.push((await notify(service, user)).body);
    const mine = await webhook(user);
    expect(await count(service, mine.id)).toBe(0);
    expect(await count(service, mine.id, { missed: true })).toBe(3);
    expect(await recovered(service, mine.id, { missed: true })).toMatchObject({ total: 3, done: 3 });
    const ids = accepted.map(({ id }) => id);
    await arrived(mine, ids);
    expect(idsAt(mine).sort()).toEqual(ids);
    const bodies = receiver.requests.filter(({ path }: Json) => path === new URL(mine.url).pathname);
    expect(bodies.map(({ body }: Json) => JSON.parse(String(body)).triggered_at).sort()).toEqual(
      accepted.map(({ triggered_at }) => triggered_at),
    );
    const rows = await rowsOf(service, mine.id);
    for (const row of rows)
      expect(await finished(service, row.id)).toMatchObject({
        status: 'SUCCEEDED',
        attempts: [{ cause: 'recover' }],
      });
    expect(rows).toMatchObject(
      ids.map((id) => ({
        notification_id: id,
        event_kind: 'RECORD_FINISHED',
        user_id: user,
      })),
    );
  });

  it('makes one trigger for a notification ever, however often it runs', async () => {
    const user = newUser();
    for (let made = 0; made < 5; made++) await notify(service, user);
    const mine = await webhook(user);
    for (let run = 0; run < 3; run++) await recovered(service, mine.id, { missed: true });
    const rows = await rowsOf(service, mine.id);
    expect(rows).toHaveLength(5);
    for (const row of rows) await finished(service, row.id);
    expect(idsAt(mine)).toHaveLength(5);
    expect(await recovered(service, mine.id, { missed: true })).toMatchObject({ total: 0, done: 0 });
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
    expect(await count(service, mine.id, { missed: true })).toBe(0);
    await service.call('POST', '/v1/webhook/event', { webhook_id: mine.id, kind: 'RECORD_FINISHED' });
    expect(await recovered(service, mine.id, { missed: true })).toMatchObject({ total: 3, done: 3 });
    await arrived(mine, missed);
    expect(idsAt(mine).sort()).toEqual(missed);
  });

  it('brings back what failed as well, for an event that was made again', async () => {
    const user = newUser();
    const mine = await webhook(user, { events: ['RECORD_FINISHED'] });
    receiver.respondWith(new URL(mine.url).pathname, { status: 500 });
    const id = await trigger(service, user);
    await finished(service, id);
    await service.call('DELETE', `/v1/webhook/event?id=${mine.events[0].id}`);
    await service.call('POST', '/v1/webhook/event', { webhook_id: mine.id, kind: 'RECORD_FINISHED' });
    receiver.respondWith(new URL(mine.url).pathname, { status: 200 });
    expect(await count(service, mine.id)).toBe(0);
    expect(await recovered(service, mine.id, { missed: true })).toMatchObject({ total: 1, done: 1 });
    await until(async () => (await rowsOf(service, mine.id))[0].status === 'SUCCEEDED');
    expect(await rowsOf(service, mine.id)).toMatchObject([{ id }]);
  });

  it('leaves out tests, other users, other kinds, and what is about the webhook itself', async () => {
    const user = newUser();
    const other = await webhook(user);
    await service.call('POST', '/v1/webhook/test', { id: other.id, event_kind: 'RECORD_FINISHED' });
    await notify(service, newUser());
    await notify(service, user, { event_kind: 'STATUS_CHANGED' });
    const { body } = await notify(service, user);
    const mine = await webhook(user, {
      events: ['RECORD_FINISHED', { kind: 'STATUS_CHANGED', enabled: false }],
    });
    await databaseOf(service).query('UPDATE webhook_notification SET about_webhook_id = ? WHERE id = ?', [
      mine.id,
      body.id,
    ]);
    expect(await recovered(service, mine.id, { missed: true })).toMatchObject({ total: 0, done: 0 });
    expect(await rowsOf(service, mine.id)).toEqual([]);
  });
});
