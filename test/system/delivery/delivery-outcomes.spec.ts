import { describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, trigger, triggerWhen } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('the outcome of an attempt on $name', (kind) => {
  const service = useService(kind, { DELIVERY_TIMEOUT_MS: '1000', RETRY_SCHEDULE_SECONDS: '3600' });
  const receiver = useReceiver();

  it('is timeout when the deadline passes', async () => {
    const user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith('silent');
    const id = await trigger(service, user);
    const { attempts, error } = await triggerWhen(service, id, ({ attempt_count }) => attempt_count === 1);
    expect(error).toMatchObject({ code: 'timeout' });
    expect(attempts[0].duration_ms).toBeGreaterThanOrEqual(990);
    expect(attempts[0].duration_ms).toBeLessThan(1500);
  });
});
