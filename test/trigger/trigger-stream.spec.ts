import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WatchRepository } from '../../src/engine/changes/watch.repository.js';
import { systemClock } from '../../src/platform/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useSharing } from '../support/fixture.js';
import { finished, newUser, notify, trigger } from '../support/scene.js';
import { type StreamReader, useStreams } from '../support/stream.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const PATH = '/v1/webhook/trigger/stream';

/** What a stream has shown of a field, each value once. */
const valuesIn = (stream: StreamReader, name: string) => [
  ...new Set(stream.of('trigger').map(({ data }) => data[name])),
];

describe.each(databases)('the stream of triggers on $name', (kind) => {
  const services = useSharing(kind, { RETRY_SCHEDULE_SECONDS: '3600' });
  const [service, other = service] = services;
  const receiver = useReceiver();
  const open = useStreams();
  let user: string;
  let key: string;

  beforeEach(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read', 'webhooks:write');
  });
  afterEach(() => void jest.restoreAllMocks());

  const follow = (query = '', lastId = '', of = service) => open(`${of.url}${PATH}${query}`, { key, lastId });
  const webhook = (path = '/', fields: object = {}) =>
    createWebhook(service, { user_id: user, url: receiver.url + path, ...fields });
  const change = (fields: object) => service.call('PATCH', '/v1/webhook', fields, { key });
  const attempted = (stream: StreamReader, id: string) =>
    stream.when((one) => one.id === id && one.status === 'PENDING' && one.attempt_count === 1);
  const ended = (stream: StreamReader, id: string, status = 'SUCCEEDED') =>
    stream.when((one) => one.id === id && one.status === status);

  // The first one: what was watched is noted for some minutes more.
  it('notes nothing while nobody watches, and does not ask each time whether anybody does', async () => {
    const read = jest.spyOn(service.get(WatchRepository), 'read');
    jest.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic());
    await webhook();
    for (let sent = 0; sent < 15; sent++) await finished(service, await trigger(service, user));
    // Several may ask at once.
    expect(read.mock.calls.length).toBeLessThanOrEqual(8);
    expect(await service.query('SELECT * FROM webhook_change')).toEqual([]);
  });

  it('shows a trigger as it is made and as it changes, as the list does, from every process', async () => {
    await webhook();
    const stream = await follow();
    expect(stream.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    for (const from of new Set([service, other])) {
      const id = await trigger(from, user);
      const { data } = await ended(stream, id);
      const listed = await service.call('GET', `/v1/webhook/trigger/list?user_id=${user}`);
      expect(data).toEqual(listed.body.data.find((one: { id: string }) => one.id === id));
    }
  });

  it('shows what fails, is cancelled, is retried and is erased', async () => {
    receiver.respondWith('/broken', [{ status: 500 }, { status: 200 }, { status: 500 }]);
    const { id: webhookId } = await webhook('/broken');
    const stream = await follow();
    const id = await trigger(service, user);
    await attempted(stream, id);
    await service.call('POST', '/v1/webhook/trigger/retry', { id }, { key });
    await ended(stream, id);
    const next = await trigger(service, user);
    await attempted(stream, next);
    await change({ id: webhookId, enabled: false });
    await ended(stream, next, 'CANCELLED');
    await change({ id: webhookId, enabled: true });
    const last = await trigger(service, user);
    await attempted(stream, last);
    await service.call('DELETE', '/v1/notification?record_id=rec_1', undefined, { key });
    await stream.when((one) => one.id === last && one.error?.code === 'erased');
  });

  it('shows what is superseded, and whose turn it is', async () => {
    receiver.respondWith('/line', [{ status: 500 }, { status: 200 }]);
    await webhook('/line', { settings: { ordering: 'record', coalesce: true } });
    const stream = await follow();
    const first = await trigger(service, user);
    await attempted(stream, first);
    const second = await trigger(service, user);
    const { data } = await ended(stream, first, 'CANCELLED');
    expect(data.error.code).toBe('superseded');
    await ended(stream, second);
  });

  it('shows what a recovery brings back', async () => {
    const { id } = await webhook('/', { enabled: false });
    await notify(service, user);
    await change({ id, enabled: true });
    const stream = await follow();
    const missed = { id, since: '2020-01-01T00:00:00Z', missed: true };
    const { body } = await service.call('POST', '/v1/webhook/recover', missed, { key });
    expect(body.total).toBe(1);
    await stream.when((one) => one.webhook_id === id && one.status === 'SUCCEEDED');
  });

  it('shows users only their own, and an admin the users he names', async () => {
    const stranger = newUser();
    const webhooks = [await webhook(), await webhook('/', { user_id: stranger })];
    const own = await follow();
    const asked = await follow(`?user_id=${stranger}`);
    const admin = await open(`${service.url}${PATH}?user_id=${stranger}`);
    const all = await open(`${service.url}${PATH}`);
    await Promise.all([trigger(service, user), trigger(service, stranger)]);
    for (const { id } of webhooks)
      await all.when((one) => one.webhook_id === id && one.status === 'SUCCEEDED');
    await own.when((one) => one.status === 'SUCCEEDED');
    await admin.when((one) => one.status === 'SUCCEEDED');
    const usersOf = (stream: StreamReader) => valuesIn(stream, 'user_id');
    expect([usersOf(own), usersOf(asked), usersOf(admin)]).toEqual([[user], [], [stranger]]);
  });

  it('is narrowed by webhook, kind and status', async () => {
    const [one, two] = [await webhook(), await webhook()];
    const streams = {
      webhook: await follow(`?webhook_id=${one.id}`),
      kind: await follow('?event_kind=STATUS_CHANGED'),
      status: await follow('?status=SUCCEEDED'),
    };
    await notify(service, user);
    await notify(service, user, { event_kind: 'STATUS_CHANGED' });
    await until(() => streams.status.events.length >= 4);
    await until(() => valuesIn(streams.kind, 'webhook_id').length === 2);
    await until(() => valuesIn(streams.webhook, 'event_kind').length === 2);
    expect(valuesIn(streams.webhook, 'webhook_id')).toEqual([one.id]);
    expect(valuesIn(streams.kind, 'event_kind')).toEqual(['STATUS_CHANGED']);
    expect(valuesIn(streams.status, 'status')).toEqual(['SUCCEEDED']);
    expect(valuesIn(streams.status, 'webhook_id').sort()).toEqual([one.id, two.id].sort());
    for (const query of ['?status=DONE', '?webhook_id=1', '?limit=1'])
      expect((await service.call('GET', PATH + query, undefined, { key })).status).toBe(400);
  });

  const statuses = (stream: StreamReader, id: string) =>
    stream.of('trigger').flatMap(({ data }) => (data.id === id ? [data.status] : []));

  it('goes on where a client was, in any process, and misses nothing', async () => {
    await webhook();
    const first = await follow();
    const before = await trigger(service, user);
    await ended(first, before);
    first.close();
    const missed = await Promise.all(Array.from({ length: 30 }, () => trigger(service, user)));
    for (const from of new Set([service, other])) {
      const again = await follow('', first.lastId, from);
      await until(() => missed.every((id) => statuses(again, id).includes('SUCCEEDED')));
      expect(again.of('reset')).toEqual([]);
      expect(statuses(again, before).length).toBeLessThan(2);
    }
  });

  it('says that it cannot go on from what was removed, and shows what follows', async () => {
    await webhook();
    const first = await follow();
    await ended(first, await trigger(service, user));
    first.close();
    await trigger(service, user);
    await service.query('UPDATE webhook_watch SET pruned_id = (SELECT MAX(id) FROM webhook_change)');
    await service.query('DELETE FROM webhook_change');
    const again = await follow('', first.lastId);
    expect(await again.when((_, { event }) => event === 'reset')).toMatchObject({ data: {} });
    await ended(again, await trigger(service, user));
  });

  it('answers HEAD without a stream', async () => {
    const { status, headers } = await service.call('HEAD', PATH, undefined, { key });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  });
});
