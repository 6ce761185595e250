import { describe, expect, it } from '@jest/globals';
import { NO_LIMITS } from '../../../test/support/no-limits.js';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import type { Receivers } from '../send/receivers.js';
import type { Attempts } from '../settle/attempts.js';
import type { Requeuer } from '../settle/requeuer.js';
import { Dispatcher } from './dispatcher.js';
import { DueScan } from './due-scan.js';
import { WaitingTriggers } from './waiting-triggers.js';

const settings = {
  delivery: { concurrency: 256, webhookConcurrency: 10, gentle: false },
} as Settings;

describe('Dispatcher', () => {
  it('requeues what there was no memory to read, and frees its capacity', () => {
    const clock = new TestClock();
    const queues = new WebhookQueues(settings, clock, NO_LIMITS);
    const requeued: LeasedTrigger[] = [];
    const requeuer = { requeue: async (triggers: LeasedTrigger[]) => void requeued.push(...triggers) };
    const signals = new QueueSignals();
    const dispatcher = new Dispatcher(
      queues,
      new WaitingTriggers(queues, new DueScan(), {} as Receivers, requeuer as Requeuer, signals),
      {} as Attempts,
      signals,
      { id: 'me', mayStart: () => false } as Instance,
      clock,
      settings,
    );
    dispatcher.start();
    const [read, unread] = [false, true].map((isUnread) => {
      expect(queues.reserve('webhook', 'user')).toBe(true);
      const notification = { id: `${isUnread}`, traceparent: null, hops: 0, body: null, isUnread };
      return { id: `${isUnread}`, webhookId: 'webhook', leasedBy: 'me', notification } as LeasedTrigger;
    }) as [LeasedTrigger, LeasedTrigger];
    dispatcher.offer([read, unread]);
    expect(requeued).toEqual([unread]);
    expect(queues.has(read.id)).toBe(true);
    expect(queues.budget.size).toBe(1);
  });
});
