import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Claimer } from '../../src/delivery/queue/claimer.js';
import { WebhookQueues } from '../../src/delivery/queue/webhook-queues.js';
import { EarlyClock, pass, useClock } from '../support/clock.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { createWebhook, newUser, notify } from '../support/scene.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const WEBHOOKS = 40;
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const DOWN_MS = 120_000;
const BACK_WITHIN_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longer than a round. */
const SCHEDULE = [2, ...Array(45).fill(5)].join(',');

describe.each(databases)('receivers that were down, on $name', (kind) => {
  let database: TestDatabase;
  let service: TestService;
  let receiver: Receiver;
  let clock: EarlyClock;
  let restoreClock: () => void;
  let user: string;
  let isDown: boolean;

  beforeEach(async () => {
    clock = new EarlyClock();
    restoreClock = useClock(clock);
    database = await kind.create();
    service = await startService(database.url, {
      RETRY_SCHEDULE_SECONDS: SCHEDULE,
    });
    receiver = await startReceiver();
    user = newUser();
    isDown = true;
    receiver.respondWith(() => ({ status: isDown ? 503 : 200 }));
    for (let i = 0; i < WEBHOOKS; i++) await createWebhook(service, user, `${receiver.url}/${i}`);
  });
  afterEach(async () => {
    await service.stop();
    restoreClock();
    await receiver.close();
    await database.drop();
  });

  /** Whether triggers are held, or looked for. */
  function isBusy(): boolean {
    const { app } = service;
    const isLooking = Reflect.get(app.get(Claimer, { strict: false }), 'looking');
    return isLooking || app.get(WebhookQueues, { strict: false }).held > 0;
  }

  /** Notifies everybody, with each receiver down for two minutes. @returns the latest first try after that. */
  async function round(stepMs = 0): Promise<number> {
    isDown = true;
    const ids = new Set<string>();
    const notifyAll = async () => {
      const { body } = await notify(service, user);
      ids.add(body.id);
    };
    await notifyAll();
    await pass(clock, DOWN_MS / 2, isBusy);
    // Behind the open breakers, and past what is held for a webhook.
    for (let i = 0; i < 4; i++) await notifyAll();
    if (stepMs !== 0) clock.step(stepMs);
    await pass(clock, DOWN_MS / 2, isBusy);
    const before = receiver.requests.length;
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

  it(
    'get every trigger within a minute of their return, though timers fire early',
    async () => {
      const took: number[] = [];
      for (let i = 0; i < ROUNDS; i++) took.push(await round());
      if (ROUNDS > 1) process.stdout.write(`${kind.name}: ${took.join(' ')} ms\n`);
    },
    60_000 * (ROUNDS + 1),
  );

  it.each([
    ['forward', HOUR_MS],
    ['back', -HOUR_MS],
  ])(
    'do so when the wall clock is set %s by an hour meanwhile',
    async (_direction, stepMs) => {
      await round(stepMs);
    },
    60_000,
  );
});
