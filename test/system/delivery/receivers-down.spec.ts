import { beforeAll, describe, expect, it } from '@jest/globals';
import { WebhookQueues } from '../../../src/engine/queue/webhook-queues.js';
import { pass } from '../../support/clock.js';
import { databases } from '../../support/databases.js';
import { useReceiver, useService } from '../../support/fixture.js';
import { newUser, notify } from '../../support/scene.js';
import { until } from '../../support/until.js';
import { createWebhook } from '../../support/webhook.js';
import { useEarlyClock } from './early-clock.js';

const WEBHOOKS = 40;
const ROUNDS = Number(process.env.ROUNDS ?? 1);
/** Longer than a breaker takes to reach its longest pause, 30 s. */
const DOWN_MS = 80_000;
/** Failures after which a receiver's breaker opens. */
const FAILURES_TO_OPEN = 5;
/** More than a breaker lets through in {@link DOWN_MS}: the pause doubles from 250 ms. */
const BREAKER_PROBES = 12;
const BACK_WITHIN_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer than a round. */
const SCHEDULE = [2, ...Array(45).fill(5)].join(',');

describe.each(databases)('when all receivers were down, on $name', (kind) => {
  const clock = useEarlyClock();
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

  /** Whether the process holds triggers. */
  const isBusy = () => service.app.get(WebhookQueues, { strict: false }).budget.size > 0;

  /** Notifies everybody while all receivers are down. @returns milliseconds from their return until all were tried. */
  async function round(stepMs = 0): Promise<number> {
    isDown = true;
    const start = receiver.requests.length;
    const ids = new Set<string>();
    const notifyAll = async () => {
      const { body } = await notify(service, user);
      ids.add(body.id);
    };
    await Promise.all(Array.from({ length: FAILURES_TO_OPEN }, notifyAll));
    await pass(clock, DOWN_MS / 2, isBusy);
    // These wait behind the open breakers.
    for (let i = 0; i < 4; i++) await notifyAll();
    if (stepMs !== 0) clock.step(stepMs);
    await pass(clock, DOWN_MS / 2, isBusy);
    const before = receiver.requests.length;
    // Far fewer than the schedule alone would have sent.
    expect((before - start) / WEBHOOKS).toBeLessThan(FAILURES_TO_OPEN + BREAKER_PROBES);
    const back = clock.monotonic();
    isDown = false;
    const wanted = WEBHOOKS * ids.size;
    const tried = () => {
      const after = receiver.requests.slice(before);
      return new Set(after.map(({ path, headers }) => `${path} ${headers['webhook-id']}`)).size;
    };
    await pass(clock, BACK_WITHIN_MS, isBusy, () => tried() === wanted);
    expect(tried()).toBe(wanted);
    const took = clock.monotonic() - back;
    await until(async () => {
      const path = `/v1/webhook/trigger/list?limit=100&user_id=${user}`;
      const lists = await Promise.all(
        ['PENDING', 'DELIVERING'].map((status) => service.call('GET', `${path}&status=${status}`)),
      );
      return lists.every(({ body }) => body.data.length === 0);
    });
    return took;
  }

  it.each([
    ['even if timers fire early', 0],
    ['even if the wall clock jumps an hour forward', HOUR_MS],
    ['even if the wall clock jumps an hour back', -HOUR_MS],
  ])(
    'delivers every trigger within a minute of their return, %s',
    async (_what, stepMs) => {
      const took: number[] = [];
      for (let i = 0; i < ROUNDS; i++) took.push(await round(stepMs));
      if (ROUNDS > 1) process.stdout.write(`${kind.name}: ${took.join(' ')} ms\n`);
    },
    60_000 * ROUNDS,
  );
});
