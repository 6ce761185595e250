import type { Clock } from '../../platform/clock.js';
import type { LimitSource, OwnLimits, WebhookLimits } from './limit-source.js';
import { RateGate } from './rate-gate.js';
import type { WebhookQueue } from './webhook-queue.js';

/** How long nothing is asked of a database that does not answer. */
const LET_THROUGH_MS = 1000;
/** How often a webhook that is paused is read, in case it was changed. */
const RELEARN_PAUSED_MS = 10_000;

/** The limits of each webhook. They are read, if a second has passed, before the next trigger is sent. */
export class QueueLimits {
  /** Called when something may be sent, although nothing was put or has ended. */
  onReady = () => {};

  /** @param changed is called when a queue may send again, or not any more. */
  constructor(
    private readonly defaults: OwnLimits,
    private readonly source: LimitSource,
    private readonly clock: Clock,
    private readonly changed: (queue: WebhookQueue) => void,
  ) {}

  /** Applies the limits to a queue. If they have to be read first, nothing of it is sent until they are known. */
  learn(queue: WebhookQueue): void {
    if (queue.isAsking || queue.isLetThrough) return;
    queue.learnedAt = this.clock.monotonic();
    const limits = this.source.limitsOf(queue.webhookId);
    if (!(limits instanceof Promise)) {
      this.apply(queue, limits);
      return;
    }
    queue.isAsking = true;
    const then = (known: () => void) => {
      queue.isAsking = false;
      known();
      this.notify(queue);
    };
    limits.then(
      (read) => then(() => this.apply(queue, read)),
      // What is sent now fails where the webhook is read, and is tried again later.
      () => then(() => this.letThrough(queue)),
    );
  }

  /** The same, of queues of which nothing is about to be sent. @param webhookId of one; without it, of all that may be outdated. */
  relearn(queues: WebhookQueue[], webhookId?: string): void {
    const now = this.clock.monotonic();
    for (const queue of queues) {
      if (webhookId === undefined ? !isOutdatedAt(now, queue) : queue.webhookId !== webhookId) continue;
      this.learn(queue);
      this.changed(queue);
    }
  }

  private apply(queue: WebhookQueue, limits: WebhookLimits | null): void {
    if (limits !== null) queue.setGeneration(limits.generation);
    const { concurrency, ratePerSecond } = limits?.settings ?? this.defaults;
    if (queue.budget.slots !== concurrency) queue.limitTo(concurrency);
    if (queue.ratePerSecond !== ratePerSecond)
      queue.setGate(ratePerSecond === null ? null : this.gateOf(queue, ratePerSecond));
  }

  private gateOf(queue: WebhookQueue, perSecond: number): RateGate {
    return new RateGate(perSecond, this.clock, {
      reserve: (count) => this.source.reserveStarts(queue.webhookId, 1000 / perSecond, count),
      onChange: () => this.notify(queue),
    });
  }

  private letThrough(queue: WebhookQueue): void {
    queue.isLetThrough = true;
    this.clock.after(LET_THROUGH_MS, () => {
      queue.isLetThrough = false;
    });
  }

  private notify(queue: WebhookQueue): void {
    this.changed(queue);
    this.onReady();
  }
}

/** Whether what is known of a webhook may be old although it matters: triggers wait, or its receiver is left alone. */
function isOutdatedAt(now: number, queue: WebhookQueue): boolean {
  if (queue.waiting.length > 0) return true;
  return queue.isPausedAt(now) && now - queue.learnedAt >= RELEARN_PAUSED_MS;
}
