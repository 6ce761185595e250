import { beforeEach, describe, expect, it } from '@jest/globals';
import { moveClock } from '../../support/clock.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { finished, newUser, notify, trigger, triggerWhen } from '../../support/scene.js';
import { createWebhook } from '../../support/webhook.js';

const HOUR_MS = 3_600_000;
/** A retry is due within 1 s; the rest is a margin for a busy machine. */
const SOON_MS = 4000;

describe.each(databases)('when the wall clock is set, on $name', (kind) => {
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: '1,1,1', WEBHOOK_CONCURRENCY: '1' });
  const receiver = useReceiver('test');
  let user: string;

  beforeEach(async () => {
    user = newUser();
    await createWebhook(service, { user_id: user, url: receiver.url });
  });

  describe.each([
    ['back', -HOUR_MS],
    ['forward', HOUR_MS],
    // Two hours, so that the clock ends up earlier than it started.
    ['back again', -2 * HOUR_MS],
  ])('%s by one or two hours', (_direction, stepMs) => {
    it('retries on time', async () => {
      receiver.respondWith([{ status: 500 }, {}]);
      const id = await trigger(service, user);
      await triggerWhen(
        service,
        id,
        ({ attempt_count: count, status }) => count === 1 && status === 'PENDING',
      );
      moveClock(stepMs);
      expect(await finished(service, id, SOON_MS)).toMatchObject({ status: 'SUCCEEDED' });
    });

    it('delivers new triggers on time, even those that wait in the database', async () => {
      moveClock(stepMs);
      // More than memory holds for a webhook, so the last ones wait in the database.
      const answers = await Promise.all(Array.from({ length: 30 }, () => notify(service, user)));
      await receiver.waitFor(30, SOON_MS);
      expect(answers.every(({ status }) => status === 202)).toBe(true);
    });

    it('measures the duration of an attempt correctly', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      receiver.respondWith({ after: promise });
      const id = await trigger(service, user);
      await receiver.waitFor(1);
      moveClock(stepMs);
      resolve();
      const { attempts } = await finished(service, id, SOON_MS);
      expect(attempts[0].duration_ms).toBeGreaterThanOrEqual(0);
      expect(attempts[0].duration_ms).toBeLessThan(SOON_MS);
    });
  });
});
