import { describe, expect, it } from '@jest/globals';
import { NO_LIMITS } from '../../../test/support/no-limits.js';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Instance } from '../instance/instance.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { QueueRepository } from '../queue/queue.repository.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import type { Receivers } from '../send/receivers.js';
import { Claims } from './claims.js';
import type { Dispatcher } from './dispatcher.js';
import type { DueRepository, DueTrigger, QueuePlace } from './due.repository.js';
import { DueClaims } from './due-claims.js';
import { DueScan } from './due-scan.js';
import { DueTriggers } from './due-triggers.js';

const SLOTS = 10;
/** One for each slot, and as many as start within two seconds if an attempt takes one. */
const PLACES = 3 * SLOTS;
/** Triggers found by a read. */
const WINDOW = 50;
const settings = { delivery: { concurrency: 256, webhookConcurrency: SLOTS, gentle: false } } as Settings;

function world() {
  const clock = new TestClock();
  const due: DueTrigger[] = Array.from({ length: 10 * WINDOW }, (_, index) => ({
    id: `${index}`.padStart(4, '0'),
    webhookId: 'webhook',
    dueAt: clock.now() - 60_000,
  }));
  const repository = {
    due: async (_: number, { id }: QueuePlace) => due.filter((one) => one.id > id).slice(0, WINDOW),
    claim: async (_: string, ids: string[]) =>
      ids.map((id) => ({ id, webhookId: 'webhook', notification: { id, body: null } })),
  } as unknown as QueueRepository & DueRepository;
  const queues = new WebhookQueues(settings, clock, NO_LIMITS);
  const dispatcher = {
    offer: (triggers: LeasedTrigger[]) => triggers.every((trigger) => queues.put(trigger)),
  } as unknown as Dispatcher;
  const receivers = {
    usersOf: async () => new Map([['webhook', 'user']]),
  } as unknown as Receivers;
  const claims = new Claims(repository, queues, { id: 'me' } as Instance, dispatcher);
  const time = new QueueTime(clock);
  const dueTriggers = new DueTriggers(repository, receivers);
  const dueClaims = new DueClaims(dueTriggers, queues, new DueScan(), claims, time, clock, settings);
  const deliver = (count: number) => {
    for (let sent = 0; sent < count; sent++) {
      const trigger = queues.take() as LeasedTrigger;
      queues.sent(trigger, 'up');
      queues.done(trigger);
    }
  };
  return { queues, deliver, claim: () => dueClaims.claimSome() };
}

describe('DueClaims', () => {
  it('claims for a webhook only once a quarter of its places for triggers that wait is free', async () => {
    const { queues, deliver, claim } = world();
    await claim();
    expect(queues.budget.size).toBe(PLACES);
    deliver(4);
    await claim();
    expect(queues.budget.size).toBe(PLACES - 4);
    deliver(1);
    await claim();
    expect(queues.budget.size).toBe(PLACES);
  });
});
