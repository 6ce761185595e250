import { describe, expect, it } from '@jest/globals';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { RateSlots } from '../queue/rate-slots.repository.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import type { Receivers } from '../send/receivers.js';
import type { Sender } from '../send/sender.js';
import type { FinishedAttempts } from '../settle/finished-attempts.js';
import type { ReceiverPauses } from '../settle/health/receiver-pauses.js';
import type { Requeue } from '../settle/requeue.js';
import { Dispatcher } from './dispatcher.js';
import { DueScan } from './due-scan.js';

const settings = {
  delivery: { concurrency: 256, webhookConcurrency: 10, gentle: false },
} as Settings;

describe('Dispatcher', () => {
  it('gives back what there was no memory to read, with its capacity', () => {
    const clock = new TestClock();
    const queues = new WebhookQueues(settings, clock);
    const returned: LeasedTrigger[] = [];
    const dispatcher = new Dispatcher(
      queues,
      new DueScan(),
      {} as Receivers,
      {} as Sender,
      {} as FinishedAttempts,
      { pending: async (triggers: LeasedTrigger[]) => returned.push(...triggers) } as unknown as Requeue,
      new QueueSignals(),
      {} as RateSlots,
      {} as ReceiverPauses,
      { id: 'me', mayStart: () => false } as Instance,
      clock,
      settings,
    );
    dispatcher.start();
    const [read, unread] = [false, true].map((isUnread) => {
      expect(dispatcher.reserve('webhook', 'user')).toBe(true);
      const notification = { id: `${isUnread}`, traceparent: null, hops: 0, body: null, isUnread };
      return { id: `${isUnread}`, webhookId: 'webhook', leasedBy: 'me', notification } as LeasedTrigger;
    }) as [LeasedTrigger, LeasedTrigger];
    dispatcher.offer([read, unread]);
    expect(returned).toEqual([unread]);
    expect(queues.has(read.id)).toBe(true);
    expect(queues.budget.size).toBe(1);
  });
});
