import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases, describeOnMariadb } from '../../support/databases.js';
import { useDatabase, useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';

const notifyTimes = (count: number, service: Pick<TestService, 'call'>, user: string) =>
  Promise.all(Array.from({ length: count }, () => notify(service, user)));

describe.each(databases)('a webhook with settings of its own, on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });
  const webhook = (settings: object) =>
    createWebhook(service, { user_id: user, url: receiver.url, settings });

  it('gets no more a second than it wants', async () => {
    await webhook({ rate_per_second: 10 });
    const begin = performance.now();
    await notifyTimes(15, service, user);
    await receiver.waitFor(15);
    // The first one starts at once.
    expect(performance.now() - begin).toBeGreaterThan(1400 * 0.95);
  });

  it('is tested and retried within its rate', async () => {
    const { id } = await webhook({ rate_per_second: 5 });
    const begin = performance.now();
    await Promise.all([1, 2, 3, 4].map(() => service.call('POST', '/v1/webhook/test', { id })));
    await receiver.waitFor(4);
    expect(performance.now() - begin).toBeGreaterThan(600 * 0.95);
  });
});

describeOnMariadb('settings on $name', (kind) => {
  const database = useDatabase(kind, 'test', 'migrated');
  const receiver = useReceiver('test');

  it('hold in another process within two seconds', async () => {
    // The limit is one of each process, so only one of them sends.
    const [changing, sending] = [await database.start({ ROLE: 'api' }), await database.start()];
    const user = newUser();
    const { id } = await createWebhook(changing, { user_id: user, url: receiver.url });
    await notifyTimes(5, sending, user);
    await receiver.waitFor(5);
    await changing.call('PATCH', '/v1/webhook', { id, settings: { concurrency: 1 } });
    const changed = performance.now();
    await until(() => performance.now() - changed > 2000, { withinMs: 5000 });
    let underWay = 0;
    let most = 0;
    receiver.respondWith(async () => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return {};
    });
    await notifyTimes(20, sending, user);
    await receiver.waitFor(25);
    expect(most).toBe(1);
  });

  it('hold a rate over all processes', async () => {
    const [one, two] = [await database.start(), await database.start()];
    const user = newUser();
    await createWebhook(one, { user_id: user, url: receiver.url, settings: { rate_per_second: 20 } });
    const begin = performance.now();
    await Promise.all([notifyTimes(20, one, user), notifyTimes(20, two, user)]);
    await receiver.waitFor(40);
    expect(performance.now() - begin).toBeGreaterThan(1950 * 0.95);
  });
});
