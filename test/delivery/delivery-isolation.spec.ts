import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, notify, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const PER_WEBHOOK = 2;

describe.each(databases)('isolation of webhooks on $name', (kind) => {
  const service = useService(kind, { WEBHOOK_CONCURRENCY: String(PER_WEBHOOK), DELIVERY_CONCURRENCY: '4' });
  const receiver = useReceiver('test');
  let user: string;
  let release: () => void;
  let released: Promise<void>;

  beforeEach(() => {
    user = newUser();
    ({ promise: released, resolve: release } = Promise.withResolvers<void>());
  });
  afterEach(() => release());

  const at = (wanted: string) => receiver.requests.filter(({ path }) => path === wanted).length;
  const notifyTimes = (count: number) =>
    Promise.all(Array.from({ length: count }, () => notify(service, user)));

  async function statusesOf(webhookId: string): Promise<string[]> {
    const { body } = await service.call('GET', `/v1/webhook/trigger/list?limit=100&webhook_id=${webhookId}`);
    return body.data.map(({ status }: { status: string }) => status);
  }

  it('a hanging receiver delays no other', async () => {
    await createWebhook(service, { user_id: user, url: `${receiver.url}/hangs` });
    for (const name of ['a', 'b', 'c'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${name}` });
    receiver.respondWith('/hangs', { after: released });
    await notifyTimes(60);
    await receiver.waitFor(() => at('/a') + at('/b') + at('/c') === 180);
    expect(at('/hangs')).toBe(PER_WEBHOOK);
    release();
    await receiver.waitFor(() => at('/hangs') === 60);
  });

  it('never exceeds the concurrency limit of a webhook', async () => {
    await createWebhook(service, { user_id: user, url: `${receiver.url}/slow` });
    let now = 0;
    let most = 0;
    receiver.respondWith(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return {};
    });
    await notifyTimes(80);
    await receiver.waitFor(80);
    expect(most).toBe(PER_WEBHOOK);
  });

  it('cancels all waiting triggers of a webhook that is disabled', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ after: released });
    await notifyTimes(30);
    await receiver.waitFor(PER_WEBHOOK);
    await service.call('PATCH', '/v1/webhook', { id, enabled: false });
    await until(async () => (await statusesOf(id)).filter((status) => status === 'CANCELLED').length === 28);
    release();
    await until(async () => (await statusesOf(id)).filter((status) => status === 'SUCCEEDED').length === 2);
    expect(receiver.requests).toHaveLength(PER_WEBHOOK);
  });

  it('cancels all waiting triggers of a webhook that is deleted', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ after: released });
    await notifyTimes(6);
    await receiver.waitFor(PER_WEBHOOK);
    await service.call('DELETE', `/v1/webhook?id=${id}`);
    await until(async () => (await statusesOf(id)).filter((status) => status === 'CANCELLED').length === 4);
    release();
    await until(async () => !(await statusesOf(id)).includes('DELIVERING'));
    expect(receiver.requests).toHaveLength(PER_WEBHOOK);
  });

  it('cancels only the waiting triggers of an event that is disabled', async () => {
    const webhook = await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ after: released });
    await notifyTimes(4);
    await receiver.waitFor(PER_WEBHOOK);
    const other = (await notify(service, user, { event_kind: 'STATUS_CHANGED' })).body.triggers[0].id;
    const event = webhook.events.find((one: { kind: string }) => one.kind === 'RECORD_FINISHED');
    await service.call('PATCH', '/v1/webhook/event', { id: event.id, enabled: false });
    release();
    await triggerWhen(service, other, ({ status }) => status === 'SUCCEEDED');
    await until(async () => !(await statusesOf(webhook.id)).includes('DELIVERING'));
    expect((await statusesOf(webhook.id)).sort()).toEqual([
      ...['CANCELLED', 'CANCELLED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'],
    ]);
  });

  it('sends a waiting trigger to the new URL of its webhook', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: `${receiver.url}/old` });
    receiver.respondWith('/old', { after: released });
    await notifyTimes(PER_WEBHOOK);
    await receiver.waitFor(PER_WEBHOOK);
    const waiting = await trigger(service, user);
    await service.call('PATCH', '/v1/webhook', { id, url: `${receiver.url}/new` });
    release();
    const found = await triggerWhen(service, waiting, ({ status }) => status === 'SUCCEEDED');
    expect(found.request_data.url).toBe(`${receiver.url}/new`);
  });
});
