import { LRUCache } from 'lru-cache';
import type { QueueLimits } from './queue-limits.js';
import { Turnover } from './turnover.js';
import { WebhookQueue } from './webhook-queue.js';

/** The number of webhooks whose turnover is remembered while they have no triggers. */
const MAX_REMEMBERED = 10_000;

/** The queues of webhooks that have triggers here, or whose receivers are in trouble. */
export class QueueMap {
  private readonly queues = new Map<string, WebhookQueue>();
  private readonly turnovers = new LRUCache<string, Turnover>({ max: MAX_REMEMBERED });

  /** @param concurrency of a webhook without limits of its own. */
  constructor(
    private readonly concurrency: number,
    private readonly limits: QueueLimits,
  ) {}

  get all(): WebhookQueue[] {
    return [...this.queues.values()];
  }

  find(webhookId: string): WebhookQueue | undefined {
    return this.queues.get(webhookId);
  }

  /** @throws TypeError later if there is none: whoever has a place, has a queue. */
  get(webhookId: string): WebhookQueue {
    return this.queues.get(webhookId) as WebhookQueue;
  }

  /** Whether this is still the webhook's queue: it may have been forgotten, and made anew. */
  has(queue: WebhookQueue): boolean {
    return this.queues.get(queue.webhookId) === queue;
  }

  /** The webhook's queue; a new one if there is none. */
  of(webhookId: string, userId: string): WebhookQueue {
    const known = this.queues.get(webhookId);
    if (known) return known;
    const turnover = this.turnovers.get(webhookId) ?? new Turnover(this.concurrency);
    this.turnovers.set(webhookId, turnover);
    const queue = new WebhookQueue(webhookId, userId, this.concurrency, turnover);
    this.queues.set(webhookId, queue);
    this.limits.applyKnown(queue);
    return queue;
  }

  /** A queue whose receiver is in trouble is kept: it holds the breaker. */
  forgetIfIdle(queue: WebhookQueue): void {
    if (queue.isIdle) this.forget(queue);
  }

  forget(queue: WebhookQueue): void {
    queue.setGate(null);
    if (this.has(queue)) this.queues.delete(queue.webhookId);
  }
}
