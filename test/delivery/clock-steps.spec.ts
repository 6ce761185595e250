import { beforeEach, describe, expect, it } from '@jest/globals';
import { EarlyClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTestClock } from '../support/fixture.js';
import { attempted, finished, newUser, notifyTimes, trigger } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const HOUR_MS = 3_600_000;

describe.each(databases)('when the wall clock is set, on $name', (kind) => {
  const clock = useTestClock(new EarlyClock());
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '1,1,1', WEBHOOK_CONCURRENCY: '1' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(async () => {
    user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
  });

  /** Lets time pass until the receiver has so many requests. @throws after an hour, which a step may not cost. */
  async function sent(count: number): Promise<void> {
    const end = clock.monotonic() + HOUR_MS;
    await until(() => {
      clock.advance(100);
      expect(clock.monotonic()).toBeLessThan(end);
      return receiver.requests.length === count;
    });
  }

  describe.each([
    ['back', -HOUR_MS],
    ['forward', HOUR_MS],
    // Two hours, so that the clock ends up earlier than it started.
    ['back again', -2 * HOUR_MS],
  ])('%s by one or two hours', (_direction, stepMs) => {
    it('retries on time', async () => {
      receiver.respondWith([{ status: 500 }, {}]);
      const id = await trigger(service, user);
      await attempted(service, id);
      clock.step(stepMs);
      await sent(2);
      expect(await finished(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    });

    it('delivers new triggers on time, even those that wait in the database', async () => {
      clock.step(stepMs);
      // More than memory holds for a webhook, so the last ones wait in the database.
      const answers = await notifyTimes(30, service, user);
      await sent(30);
      expect(answers.every(({ status }) => status === 202)).toBe(true);
    });

    it('measures the duration of an attempt correctly', async () => {
      const release = receiver.hold();
      const id = await trigger(service, user);
      await receiver.waitFor(1);
      clock.step(stepMs);
      clock.advance(70);
      release();
      const { attempts } = await finished(service, id);
      expect(attempts[0].duration_ms).toBe(70);
    });
  });
});
