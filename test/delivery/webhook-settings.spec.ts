import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases, describeOnMariadb } from '../support/databases.js';
import { useReceiver, useService, useSharing, useTestClock } from '../support/fixture.js';
import { attempted, finished, newUser, notifyTimes, trigger } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

describe.each(databases)('a webhook with settings of its own, on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });
  const webhook = (settings: object) =>
    createWebhook(service, { user_id: user, url: receiver.url, settings });

  it('is given up after its own timeout', async () => {
    const release = receiver.hold();
    await webhook({ timeout_ms: 1000, retry_schedule_seconds: [604_800] });
    const id = await trigger(service, user);
    const tried = await attempted(service, id);
    release();
    expect(tried.error.code).toBe('timeout');
  });

  it('is tried again on its own schedule', async () => {
    receiver.respondWith({ status: 500 });
    await webhook({ retry_schedule_seconds: [0, 0.1] });
    expect(await finished(service, await trigger(service, user))).toMatchObject({
      status: 'FAILED',
      attempt_count: 3,
    });
  });

  it('gets no more at once than it wants, and more when it wants more', async () => {
    const next = Promise.withResolvers<void>();
    const release = receiver.hold();
    const { id } = await webhook({ concurrency: 2 });
    await notifyTimes(12, service, user);
    await receiver.waitFor(2);
    await service.call('PATCH', '/v1/webhook', { id, settings: { concurrency: 5 } });
    await receiver.waitFor(5);
    await service.call('PATCH', '/v1/webhook', { id, settings: { concurrency: 1 } });
    receiver.underWay.most = 0;
    receiver.respondWith([{ after: next.promise }, {}]);
    release();
    await receiver.waitFor(6);
    expect(receiver.underWay.now).toBe(1);
    next.resolve();
    await receiver.waitFor(12);
    expect(receiver.underWay.most).toBe(1);
  });

  it('holds up nobody else by its rate, and gets what waits at once when that is raised', async () => {
    const { id } = await webhook({ rate_per_second: 0.01 });
    await createWebhook(service, { user_id: user, url: `${receiver.url}/other` });
    await notifyTimes(3, service, user);
    await receiver.waitFor((requests) => receiver.at('/other').length === 3 && requests.length > 3);
    expect(receiver.requests).toHaveLength(4);
    await service.call('PATCH', '/v1/webhook', { id, settings: { rate_per_second: 1000 } });
    await receiver.waitFor(6);
  });
});

describeOnMariadb('settings on $name', (kind) => {
  const clock = useTestClock();
  const [changing, sending = changing] = useSharing(kind);
  const receiver = useReceiver('test');

  it('hold in another process two seconds later', async () => {
    const user = newUser();
    const { id } = await createWebhook(changing, { user_id: user, url: receiver.url });
    await notifyTimes(5, sending, user);
    await receiver.waitFor(5);
    await changing.call('PATCH', '/v1/webhook', { id, settings: { concurrency: 1 } });
    clock.advance(2000);
    receiver.underWay.most = 0;
    receiver.respondWith(() => ({ after: setImmediate() }));
    await notifyTimes(20, sending, user);
    await receiver.waitFor(25);
    expect(receiver.underWay.most).toBe(1);
  });
});
