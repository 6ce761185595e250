import { beforeAll, describe, expect, it } from '@jest/globals';
import { Claimer } from '../../src/engine/dispatch/claimer.js';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import { EarlyClock, pass } from '../support/clock.js';
import { databases } from '../support/databases.js';
import { useReceiver, useService, useTestClock } from '../support/fixture.js';
import { newUser, notify } from '../support/scene.js';
import { until } from '../support/until.js';
import { createWebhook } from '../support/webhook.js';

const WEBHOOKS = 4;
/** So long that a pause that went on doubling would outlast {@link BACK_WITHIN_MS}. */
const DOWN_MS = 140_000;
/** Failures after which a receiver's breaker opens. */
const FAILURES_TO_OPEN = 5;
/** More than a breaker lets through in {@link DOWN_MS}: the pause doubles from 250 ms. */
const BREAKER_PROBES = 12;
const BACK_WITHIN_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer than a round. */
const SCHEDULE = [2, ...Array(45).fill(5)].join(',');

describe.each(databases)('when all receivers were down, on $name', (kind) => {
  const clock = useTestClock(new EarlyClock());
  const service = useService(kind, { RETRY_SCHEDULE_SECONDS: SCHEDULE });
  const receiver = useReceiver();
  let user: string;
  let isDown: boolean;

  beforeAll(async () => {
    user = newUser();
    receiver.respondWith(() => ({ status: isDown ? 503 : 200 }));
    for (let i = 0; i < WEBHOOKS; i++)
      await createWebhook(service, { user_id: user, url: `${receiver.url}/${i}` });
  });

  /** Whether the process looks for triggers, or holds some. */
  const isBusy = () => Object(service.get(Claimer)).polling || service.get(WebhookQueues).budget.size > 0;

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])(
    'delivers every trigger within a minute of their return, even if the wall clock jumps an hour %s and timers fire early',
    async (_direction, stepMs) => {
      isDown = true;
      const start = receiver.requests.length;
      const ids = new Set<string>();
      const notifyAll = async () => ids.add((await notify(service, user)).body.id);
      await Promise.all(Array.from({ length: FAILURES_TO_OPEN }, notifyAll));
      await pass(clock, DOWN_MS / 2, isBusy);
      // These wait behind the open breakers.
      for (let i = 0; i < 4; i++) await notifyAll();
      clock.step(stepMs);
      await pass(clock, DOWN_MS / 2, isBusy);
      const before = receiver.requests.length;
      // Far fewer than the schedule alone would have sent.
      expect((before - start) / WEBHOOKS).toBeLessThan(FAILURES_TO_OPEN + BREAKER_PROBES);
      isDown = false;
      const tried = () => {
        const after = receiver.requests.slice(before);
        return new Set(after.map(({ path, headers }) => `${path} ${headers['webhook-id']}`)).size;
      };
      const wanted = WEBHOOKS * ids.size;
      await pass(clock, BACK_WITHIN_MS, isBusy, () => tried() === wanted);
      expect(tried()).toBe(wanted);
      await until(() => {
        clock.advance(250);
        const left = service.query(`SELECT id FROM webhook_trigger WHERE status <> 'SUCCEEDED' LIMIT 1`);
        return left.then(({ length }) => length === 0);
      });
    },
  );
});
