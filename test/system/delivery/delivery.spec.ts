import { beforeEach, describe, expect, it } from '@jest/globals';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

describe.each(databases)('delivery on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0.05,0.05,0.05,0.05' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(() => {
    user = newUser();
  });

  it('fails when the schedule is used up, and starts over on a retry by request', async () => {
    await createWebhook(service, { user_id: user, url: receiver.url });
    receiver.respondWith({ status: 500 });
    const id = await trigger(service, user);
    expect(await finished(service, id)).toMatchObject({
      status: 'FAILED',
      attempt_count: 5,
      next_attempt_at: null,
    });
    expect(await service.call('POST', '/v1/webhook/trigger/retry', { id })).toMatchObject({ status: 202 });
    const again = await triggerWhen(
      service,
      id,
      (found) => found.status === 'FAILED' && found.attempt_count > 5,
    );
    expect(again.attempt_count).toBe(10);
    expect(again.attempts.map(({ number }: { number: number }) => number)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    receiver.respondWith({ status: 204 });
    await service.call('POST', '/v1/webhook/trigger/retry', { id });
    expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt_count: 11 });
  });
});
