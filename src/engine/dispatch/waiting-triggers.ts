import { Injectable } from '@nestjs/common';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { isWanted, Receivers } from '../send/receivers.js';
import { Requeuer } from '../settle/requeuer.js';
import { DueScan } from './due-scan.js';

/** The triggers that wait in the memory of this process: which of them are requeued, and when. */
@Injectable()
export class WaitingTriggers {
  private readonly unsubscribe: () => void;
  /** What is being requeued. */
  private readonly underWay = new Set<Promise<unknown>>();

  constructor(
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly receivers: Receivers,
    private readonly requeuer: Requeuer,
    signals: QueueSignals,
  ) {
    this.unsubscribe = signals.subscribe({
      webhookChanged: (webhookId) => {
        this.queues.relearn(webhookId);
        this.begin(this.requeueChanged(this.queues.drain(webhookId)));
      },
    });
  }

  /** Requeues triggers that were taken out of the queues, or did not get in. */
  requeue(triggers: LeasedTrigger[]): void {
    if (triggers.length > 0) this.begin(this.requeuer.requeue(triggers));
  }

  requeueAll(): void {
    this.requeue(this.queues.drain());
  }

  /** Requeues the triggers that will not start soon: other processes may have slots for them. */
  requeueLate(): void {
    this.queues.relearn();
    const late = this.queues.takeOutLate();
    if (late.length > 0) this.begin(this.requeueInPlace(late));
  }

  /** Drops all: another instance has taken the leases over. */
  abandon(): void {
    this.queues.drain();
  }

  /** Requeues all, and goes by no more signals. */
  stop(): void {
    this.unsubscribe();
    this.requeueAll();
  }

  /** Resolves when everything that was to be requeued is. */
  async settled(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  private async requeueInPlace(late: ReturnType<WebhookQueues['takeOutLate']>): Promise<void> {
    await this.requeuer.requeueInPlace(late.flatMap(({ triggers }) => triggers));
    for (const { webhookId, userId, triggers } of late) {
      for (const { dueAt } of triggers) this.scan.requeued(webhookId, userId, dueAt);
    }
  }

  /** Cancels triggers of a webhook that are no longer wanted; the others are to be claimed with the webhook as it is now. */
  private async requeueChanged(waiting: LeasedTrigger[]): Promise<void> {
    const [first] = waiting;
    if (!first) return;
    // While the database is unavailable this is unknown, and is decided when the trigger is claimed again. A probe's webhook
    // is disabled; whether it is still wanted is decided when it is sent.
    const receiver = await Promise.resolve(this.receivers.get(first.webhookId)).catch(() => undefined);
    const { wanted = [], unwanted = [] } = Object.groupBy(waiting, (trigger) =>
      receiver === undefined || trigger.isProbe || isWanted(trigger, receiver) ? 'wanted' : 'unwanted',
    );
    await Promise.all([this.requeuer.requeueUnwanted(unwanted), this.requeuer.requeue(wanted)]);
  }

  private begin(requeuing: Promise<void>): void {
    const ended = requeuing.finally(() => this.underWay.delete(ended));
    this.underWay.add(ended);
  }
}
