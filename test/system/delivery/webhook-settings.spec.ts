import { describe, expect, it } from '@jest/globals';
import { databases, describeOnMariadb } from '../../support/databases.js';
import { useReceiver, useService, useSharing } from '../../support/fixture.js';
import { newUser, notifyTimes } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('the rate of a webhook on $name', (kind) => {
  const service = useService(kind);
  const receiver = useReceiver('test');

  // The first one starts at once.
  it.each([
    ['notifications', 10, 15, 1400],
    ['tests', 5, 4, 600],
  ])('is kept by %s: %i a second', async (what, rate_per_second, count, ms) => {
    const user = newUser();
    const settings = { rate_per_second };
    const { id } = await createWebhook(service, { user_id: user, url: receiver.url, settings });
    const begin = performance.now();
    if (what === 'notifications') await notifyTimes(count, service, user);
    else
      await Promise.all(
        Array.from({ length: count }, () => service.call('POST', '/v1/webhook/test', { id })),
      );
    await receiver.waitFor(count);
    expect(performance.now() - begin).toBeGreaterThan(ms * 0.95);
  });
});

describeOnMariadb('the rate of a webhook on $name', (kind) => {
  const [one, two = one] = useSharing(kind);
  const receiver = useReceiver('test');

  it('is kept by all processes together, evenly', async () => {
    const user = newUser();
    await createWebhook(one, { user_id: user, url: receiver.url, settings: { rate_per_second: 20 } });
    const begin = performance.now();
    await Promise.all([notifyTimes(20, one, user), notifyTimes(20, two, user)]);
    await receiver.waitFor(20);
    expect(performance.now() - begin).toBeGreaterThan(950 * 0.95);
    await receiver.waitFor(40);
    expect(performance.now() - begin).toBeGreaterThan(1950 * 0.95);
  });
});
