import { describe, expect, it, jest } from '@jest/globals';
import { moveClock } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService } from '../support/fixture.js';
import { newUser, trigger, triggerWhen } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

/** A quarter of the five days. */
const QUARTER_MS = 30 * 3_600_000;
/** A failure that does not pause deliveries, because the receiver is reachable. */
const REFUSAL = { status: 400 };

describe.each(databases)('the time until a failing webhook is disabled, on $name', (kind) => {
  const receiver = useReceiver('test');
  const never = useService(kind, { RETRY_SCHEDULE_SECONDS: '3600', FAILING_DISABLE_HOURS: '0' });
  const soon = useService(kind, { RETRY_SCHEDULE_SECONDS: '0,0,0,0', FAILING_DISABLE_HOURS: '0.0001' });

  it('can be short', async () => {
    const user = newUser();
    receiver.respondWith(REFUSAL);
    const { id } = await createWebhook(soon, { user_id: user, url: receiver.url });
    const isDisabled = async () => {
      const { body } = await soon.call('GET', `/v1/webhook?id=${id}`);
      if (body.enabled) await trigger(soon, user).catch(() => null);
      return body.disabled_reason === 'failing';
    };
    await until(isDisabled);
  });

  it('can be endless', async () => {
    const user = newUser();
    receiver.respondWith(REFUSAL);
    const { id } = await createWebhook(never, { user_id: user, url: receiver.url });
    for (let quarter = 0; quarter < 6; quarter++) {
      const failed = await trigger(never, user);
      await triggerWhen(never, failed, ({ attempt_count }) => attempt_count > 0);
      moveClock(QUARTER_MS);
    }
    jest.restoreAllMocks();
    expect((await never.call('GET', `/v1/webhook?id=${id}`)).body.enabled).toBe(true);
  });
});
