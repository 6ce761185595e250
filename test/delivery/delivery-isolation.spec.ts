import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource, type Logger } from 'typeorm';
import { Claimer } from '../../src/engine/dispatch/claimer.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTestClock } from '../support/fixture.js';
import { newUser, notifyTimes, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const PER_WEBHOOK = 2;
const FEW = 90;
const LIMITS = { WEBHOOK_CONCURRENCY: String(PER_WEBHOOK), DELIVERY_CONCURRENCY: '4' };

describe.each(databases)('isolation of webhooks on $name', (kind) => {
  const service = useService(kind, LIMITS);
  const receiver = useReceiver('test');
  let user: string;
  let gate: PromiseWithResolvers<void>;

  beforeEach(() => {
    user = newUser();
    gate = Promise.withResolvers<void>();
  });
  afterEach(() => gate.resolve());

  it('a hanging receiver delays no other, and gets no more at once than the limit', async () => {
    for (const name of ['hangs', 'a', 'b', 'c'])
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${name}` });
    receiver.respondWith('/hangs', { after: gate.promise });
    await notifyTimes(60, service, user);
    await receiver.waitFor(() => ['/a', '/b', '/c'].every((path) => receiver.at(path).length === 60));
    expect(receiver.at('/hangs')).toHaveLength(PER_WEBHOOK);
    gate.resolve();
    await receiver.waitFor(() => receiver.at('/hangs').length === 60);
  });

  it('sends a waiting trigger to the new URL of its webhook', async () => {
    const { id } = await createWebhook(service, { user_id: user, url: `${receiver.url}/old` });
    receiver.respondWith('/old', { after: gate.promise });
    await notifyTimes(PER_WEBHOOK, service, user);
    await receiver.waitFor(PER_WEBHOOK);
    const waiting = await trigger(service, user);
    await service.call('PATCH', '/v1/webhook', { id, url: `${receiver.url}/new` });
    gate.resolve();
    const found = await triggerWhen(service, waiting, ({ status }) => status === 'SUCCEEDED');
    expect(found.request_data.url).toBe(`${receiver.url}/new`);
  });
});

describe.each(databases)('what cannot be sent now, on $name,', (kind) => {
  const clock = useTestClock();
  const service = useService(kind, LIMITS, 'test');
  const receiver = useReceiver('test');

  /** The statements while half a second passes: a loop makes thousands. */
  async function statements(): Promise<number> {
    let count = 0;
    const silent = new Proxy({}, { get: (_, name) => () => name === 'logQuery' && count++ });
    service.get(DataSource).logger = silent as Logger;
    for (let ms = 0; ms < 500; ms++) {
      clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
      await until(() => !Object(service.get(Claimer)).polling, { everyMs: 1 });
    }
    return count;
  }

  it('is rarely looked for while its receiver hangs', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    const release = receiver.hold();
    await notifyTimes(40, service, user);
    await receiver.waitFor(PER_WEBHOOK);
    const count = await statements();
    release();
    expect(count).toBeLessThan(FEW);
  });

  it('delays no other, and is rarely looked for, if the secret of its webhook is unreadable', async () => {
    const user = newUser();
    const { id } = await createWebhook(service, { user_id: user, url: `${receiver.url}/lost` });
    await createWebhook(service, { user_id: user, url: `${receiver.url}/fine` });
    await service.query(`UPDATE webhook SET sealed_secret = 'lost' WHERE id = ?`, [id]);
    await notifyTimes(10, service, user);
    await receiver.waitFor(() => receiver.at('/fine').length === 10);
    const path = `/v1/webhook/trigger/list?status=PENDING&webhook_id=${id}`;
    await until(async () => (await service.call('GET', path)).body.data.length === 10);
    const count = await statements();
    expect(count).toBeLessThan(FEW);
    expect(receiver.at('/lost')).toEqual([]);
  });
});
