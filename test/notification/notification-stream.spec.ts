import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useSharing } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { type StreamReader, useStreams } from '../support/stream.js';
import { createWebhook } from '../support/webhook.js';

const PATH = '/v1/notification/stream';

describe.each(databases)('the stream of notifications on $name', (kind) => {
  const services = useSharing(kind);
  const [service, other = service] = services;
  const receiver = useReceiver();
  const open = useStreams();
  let user: string;
  let key: string;

  beforeEach(async () => {
    user = newUser();
    key = await service.keyFor(user, 'webhooks:read');
  });

  const follow = (query = '') => open(service.url + PATH + query, { key });

  it('brings the bytes that webhooks get, from every process, subscribed or not', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url, events: ['RECORD_FINISHED'] });
    const stream = await follow();
    const raw = `{"event_kind":"RECORD_FINISHED","user_id":"${user}","record":{"z":1,"id":"r","n":12345678901234567890,"é":"\\u0001\\n\u2028","analysis":[]}}`;
    const { body } = await service.call('POST', '/v1/notification', undefined, { raw });
    const { data } = await stream.when(({ id }) => id === body.id);
    expect(data).toEqual({
      id: body.id,
      event_kind: 'RECORD_FINISHED',
      triggered_at: body.triggered_at,
      body: expect.any(String),
    });
    const [sent] = await receiver.waitFor(1);
    expect(data.body).toBe(String(sent?.body));
    const unheard = await notify(other, user, { event_kind: 'STATUS_CHANGED' });
    expect(unheard.body.triggers).toEqual([]);
    await stream.when(({ id }) => id === unheard.body.id);
  });

  it('shows users only their own, of the kind they ask for', async () => {
    const stranger = newUser();
    const own = await follow();
    const asked = await follow(`?user_id=${stranger}`);
    const narrowed = await follow('?event_kind=STATUS_CHANGED');
    await notify(service, stranger);
    const first = await notify(service, user);
    const second = await notify(service, user, { event_kind: 'STATUS_CHANGED' });
    await own.when(({ id }) => id === second.body.id);
    await narrowed.when(({ id }) => id === second.body.id);
    const ids = (stream: StreamReader) => stream.events.map(({ data }) => data.id);
    expect([ids(own), ids(asked), ids(narrowed)]).toEqual([
      [first.body.id, second.body.id],
      [],
      [second.body.id],
    ]);
  });
});
