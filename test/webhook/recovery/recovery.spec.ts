import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../../../src/module/testing/test-clock.js';
import { expectProblem } from '../../support/api.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService, useTestClock } from '../../support/fixture.js';
import { finished, newUser, trigger, triggerWhen } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import {
  count,
  HOUR_MS,
  type Json,
  recover,
  recovered,
  recovery,
  rowsOf,
  secondsOf,
  store,
} from './scene.js';

describe.each(databases)('recovering a webhook on $name', (kind) => {
  // Ids go by the machine's clock: whatever is made lies before a recovery that begins.
  const clock = useTestClock(new TestClock(Date.now() + HOUR_MS));
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '0' });
  const receiver = useReceiver();
  const webhook = (path: string, user_id = newUser()): Promise<Json> =>
    createWebhook(service, { user_id, url: receiver.url + path });

  it('delivers failed triggers, on a new retry schedule', async () => {
    const user = newUser();
    const { id: webhookId } = await webhook('/failed', user);
    receiver.respondWith('/failed', { status: 400 });
    const ids = [await trigger(service, user), await trigger(service, user)];
    for (const id of ids)
      expect(await finished(service, id)).toMatchObject({ status: 'FAILED', attempt_count: 2 });
    receiver.respondWith('/failed', ({ headers }) => ({
      status: headers['webhook-attempt'] === '3' ? 400 : 200,
    }));
    expect(await recover(service, webhookId)).toMatchObject({ status: 202, body: { triggers: 2 } });
    for (const id of ids) {
      const done = await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
      expect(done.attempts.map(({ number }: Json) => number)).toEqual([1, 2, 3, 4]);
    }
    expect(await count(service, webhookId)).toBe(0);
  });

  it('delivers triggers that were cancelled because the webhook was off', async () => {
    const user = newUser();
    const { id: webhookId } = await webhook('/off', user);
    receiver.respondWith('/off', [{ status: 410 }, {}]);
    const id = await trigger(service, user);
    await until(async () => !(await service.call('GET', `/v1/webhook?id=${webhookId}`)).body.enabled);
    await finished(service, id);
    expectProblem(await recover(service, webhookId), 409, 'webhook_disabled');
    expect(await count(service, webhookId)).toBe(1);
    await service.call('PATCH', '/v1/webhook', { id: webhookId, enabled: true });
    await recovered(service, webhookId);
    await triggerWhen(service, id, ({ status }) => status === 'SUCCEEDED');
  });

  it('waits for a receiver that is down, and goes on when it is back', async () => {
    const mine = await webhook('/down');
    const at = clock.now() - HOUR_MS;
    await store(
      service,
      mine,
      Array.from({ length: 200 }, (_, i) => at + i),
    );
    receiver.respondWith('/down', { status: 503 });
    const second = secondsOf(service, clock);
    const { body } = await recover(service, mine.id, { per_second: 20 });
    const isSending = async () =>
      (await rowsOf(service, mine.id)).some(({ status }) => status === 'DELIVERING');
    const goesOn = async () => {
      await second();
      await until(async () => !(await isSending()));
      return recovery(service, body.id);
    };
    // At its pace it would be over. Three seconds' worth waits, besides the few that are tried between growing pauses.
    for (let seconds = 0; seconds < 12; seconds++) await goesOn();
    const { done } = await recovery(service, body.id);
    expect(done).toBeGreaterThanOrEqual(60);
    expect(done).toBeLessThanOrEqual(100);
    receiver.respondWith('/down', {});
    await until(async () => (await goesOn()).done > done);
  });
});
