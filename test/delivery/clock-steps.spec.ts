import { beforeEach, describe, expect, it } from '@jest/globals';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { finished, newUser, notify, trigger, triggerWhen } from '../support/scene.js';
import { createWebhook } from '../support/webhook.js';

const HOUR_MS = 3_600_000;
/** What was due within a second or so is, though somebody set the clock; some more for a busy machine. */
const SOON_MS = 4000;

describe.each(databases)('a wall clock that is set, on $name', (kind) => {
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
    // Once more, so that it is behind what it has been.
    ['back again', -2 * HOUR_MS],
  ])('%s by hours', (_direction, stepMs) => {
    it('delays no retry', async () => {
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

    it('hides nothing that is fresh, whether it is sent at once or waits for its turn', async () => {
      moveClock(stepMs);
      // More than are held for a webhook, so that the last of them wait in the database.
      const answers = await Promise.all(Array.from({ length: 30 }, () => notify(service, user)));
      await receiver.waitFor(30, SOON_MS);
      expect(answers.every(({ status }) => status === 202)).toBe(true);
    });

    it('makes no attempt longer or shorter', async () => {
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
