import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WatchRepository } from '../../src/engine/changes/watch.repository.js';
import { systemClock } from '../../src/platform/clock.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useReceiver, useSharing } from '../support/fixture.js';
import { finished, newUser, notify, trigger } from '../support/scene.js';
import { StreamReader } from '../support/stream.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const PATH = '/v1/webhook/trigger/stream';

describe.each(databases)('the stream of triggers on $name', (kind) => {
  const services = useSharing(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const [service, other = service] = services;
  const receiver = useReceiver();
  const open: StreamReader[] = [];
  let user: string;
  let key: string;

  beforeEach(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read', 'webhooks:write');
  });
  afterEach(() => {
    for (const stream of open.splice(0)) stream.close();
    jest.restoreAllMocks();
  });

  const database = () => service.get(Database);
  async function follow(query = '', lastId?: string, of = service): Promise<StreamReader> {
    const stream = await StreamReader.open(`${of.url}${PATH}${query}`, {
      key,
      ...(lastId ? { lastId } : {}),
    });
    open.push(stream);
    return stream;
  }

  // The first one: what was watched is noted for some minutes more.
  it('notes nothing while nobody watches, and does not ask each time whether anybody does', async () => {
    const read = jest.spyOn(service.get(WatchRepository), 'read');
    jest.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic());
    await createWebhook(service, { user_id: user, url: receiver.url });
    for (let sent = 0; sent < 15; sent++) await finished(service, await trigger(service, user));
    // Several may ask at once.
    expect(read.mock.calls.length).toBeLessThanOrEqual(8);
    expect(await database().query('SELECT * FROM webhook_change')).toEqual([]);
  });

  it('shows a trigger as it is made and as it changes, as the list does, from every process', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const stream = await follow();
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    for (const from of new Set([service, other])) {
      const id = await trigger(from, user);
      const { data } = await stream.when((one) => one.id === id && one.status === 'SUCCEEDED');
      const listed = await service.call('GET', `/v1/webhook/trigger/list?user_id=${user}`);
      expect(data).toEqual(listed.body.data.find((one: { id: string }) => one.id === id));
    }
  });

  it('shows what fails, is cancelled, is retried and is erased', async () => {
    receiver.respondWith('/broken', { status: 500 });
    const webhook = await createWebhook(service, { user_id: user, url: `${receiver.url}/broken` });
    const stream = await follow();
    const id = await trigger(service, user);
    await stream.when((one) => one.id === id && one.status === 'PENDING' && one.attempt_count === 1);
    receiver.respondWith('/broken', { status: 200 });
    await service.call('POST', '/v1/webhook/trigger/retry', { id }, { key });
    await stream.when((one) => one.id === id && one.status === 'SUCCEEDED');
    receiver.respondWith('/broken', { status: 500 });
    const next = await trigger(service, user);
    await stream.when((one) => one.id === next && one.attempt_count === 1);
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: false }, { key });
    await stream.when((one) => one.id === next && one.status === 'CANCELLED');
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: true }, { key });
    const last = await trigger(service, user);
    await stream.when((one) => one.id === last && one.attempt_count === 1);
    await service.call('DELETE', '/v1/notification?record_id=rec_1', undefined, { key });
    await stream.when((one) => one.id === last && one.error?.code === 'erased');
  });

  it('shows what is superseded, and whose turn it is', async () => {
    receiver.respondWith('/line', { status: 500 });
    await createWebhook(service, {
      user_id: user,
      url: `${receiver.url}/line`,
      settings: { ordering: 'record', coalesce: true },
    });
    const stream = await follow();
    const first = await trigger(service, user);
    await stream.when((one) => one.id === first && one.attempt_count === 1);
    receiver.respondWith('/line', { status: 200 });
    const second = await trigger(service, user);
    const { data } = await stream.when((one) => one.id === first && one.status === 'CANCELLED');
    expect(data.error.code).toBe('superseded');
    await stream.when((one) => one.id === second && one.status === 'SUCCEEDED');
  });

  it('shows what a recovery brings back', async () => {
    receiver.respondWith('/gone', { status: 200 });
    const webhook = await createWebhook(service, {
      user_id: user,
      url: `${receiver.url}/gone`,
      enabled: false,
    });
    await notify(service, user);
    await service.call('PATCH', '/v1/webhook', { id: webhook.id, enabled: true }, { key });
    const stream = await follow();
    const since = '2020-01-01T00:00:00Z';
    const { body } = await service.call(
      'POST',
      '/v1/webhook/recover',
      { id: webhook.id, since, missed: true },
      { key },
    );
    expect(body.total).toBe(1);
    await stream.when((one) => one.webhook_id === webhook.id && one.status === 'SUCCEEDED');
  });

  it('shows users only their own, and an admin the users he names', async () => {
    const [stranger] = [newUser()];
    const [mine, theirs] = [
      await createWebhook(service, { user_id: user, url: receiver.url }),
      await createWebhook(service, { user_id: stranger, url: receiver.url }),
    ];
    const own = await follow();
    const asked = await follow(`?user_id=${stranger}`);
    const admin = await StreamReader.open(`${service.url}${PATH}?user_id=${stranger}`);
    const all = await StreamReader.open(`${service.url}${PATH}`);
    open.push(admin, all);
    await Promise.all([trigger(service, user), trigger(service, stranger)]);
    for (const { id } of [mine, theirs])
      await all.when((one) => one.webhook_id === id && one.status === 'SUCCEEDED');
    await own.when((one) => one.status === 'SUCCEEDED');
    await admin.when((one) => one.status === 'SUCCEEDED');
    const usersOf = (stream: StreamReader) => [
      ...new Set(stream.of('trigger').map(({ data }) => data.user_id)),
    ];
    expect([usersOf(own), usersOf(asked), usersOf(admin)]).toEqual([[user], [], [stranger]]);
  });

  it('is narrowed by webhook, kind and status', async () => {
    const [one, two] = [
      await createWebhook(service, { user_id: user, url: receiver.url }),
      await createWebhook(service, { user_id: user, url: receiver.url }),
    ];
    const streams = {
      webhook: await follow(`?webhook_id=${one.id}`),
      kind: await follow('?event_kind=STATUS_CHANGED'),
      status: await follow('?status=SUCCEEDED'),
    };
    await notify(service, user);
    await notify(service, user, { event_kind: 'STATUS_CHANGED' });
    await until(() => streams.status.events.length >= 4);
    await until(() => new Set(streams.kind.events.map(({ data }) => data.webhook_id)).size === 2);
    await until(() => new Set(streams.webhook.events.map(({ data }) => data.event_kind)).size === 2);
    const all = (stream: StreamReader, name: string) => [
      ...new Set(stream.events.map(({ data }) => data[name])),
    ];
    expect(all(streams.webhook, 'webhook_id')).toEqual([one.id]);
    expect(all(streams.kind, 'event_kind')).toEqual(['STATUS_CHANGED']);
    expect(all(streams.status, 'status')).toEqual(['SUCCEEDED']);
    expect(all(streams.status, 'webhook_id').sort()).toEqual([one.id, two.id].sort());
    for (const query of ['?status=DONE', '?webhook_id=1', '?limit=1'])
      expect((await service.call('GET', PATH + query, undefined, { key })).status).toBe(400);
  });

  const statuses = (stream: StreamReader, id: string) =>
    stream.of('trigger').flatMap(({ data }) => (data.id === id ? [data.status] : []));

  it('goes on where a client was, in any process, and misses nothing', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const first = await follow();
    const before = await trigger(service, user);
    await first.when((one) => one.id === before && one.status === 'SUCCEEDED');
    first.close();
    const missed = await Promise.all(Array.from({ length: 30 }, () => trigger(service, user)));
    for (const from of new Set([service, other])) {
      const again = await follow('', first.lastId, from);
      await until(() => missed.every((id) => statuses(again, id).includes('SUCCEEDED')));
      expect(again.of('reset')).toEqual([]);
      expect(statuses(again, before).length).toBeLessThan(2);
    }
  });

  it.each(['nonsense', '1', `1.${'0'.repeat(36)}`])('says that it cannot go on from %s', async (lastId) => {
    const stream = await follow('', lastId);
    expect(await stream.when((_, { event }) => event === 'reset')).toMatchObject({ data: {} });
    await createWebhook(service, { user_id: user, url: receiver.url });
    const id = await trigger(service, user);
    await stream.when((one) => one.id === id && one.status === 'SUCCEEDED');
    expect(stream.lastId).not.toBe(lastId);
  });

  it('says that it cannot go on from what was removed', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    const first = await follow();
    const id = await trigger(service, user);
    await first.when((one) => one.id === id && one.status === 'SUCCEEDED');
    first.close();
    await trigger(service, user);
    await database().query('UPDATE webhook_watch SET pruned_id = (SELECT MAX(id) FROM webhook_change)');
    await database().query('DELETE FROM webhook_change');
    const again = await follow('', first.lastId);
    await again.when((_, { event }) => event === 'reset');
  });

  it('answers HEAD without a stream', async () => {
    const { status, headers } = await service.call('HEAD', PATH, undefined, { key });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});
