import { LRUCache } from 'lru-cache';
import type { RoundRobin } from './round-robin.js';
import { URGENT_PER_SLOT, WebhookQueue } from './webhook-queue.js';

/** The number of webhooks of which what was learned is kept while they have no triggers. */
const MAX_IDLE = 10_000;

/** The queues of webhooks. */
export class QueueMap {
  /** The queues of webhooks that have triggers here, or whose receivers have failed and are not well again. */
  private readonly queues = new Map<string, WebhookQueue>();
  private readonly idle = new LRUCache<string, WebhookQueue>({ max: MAX_IDLE });

  /** @param concurrency of a webhook without limits of its own. */
  constructor(
    private readonly concurrency: number,
    private readonly users: RoundRobin,
  ) {}

  get all(): WebhookQueue[] {
    return [...this.queues.values()];
  }

  find(webhookId: string): WebhookQueue | undefined {
    return this.queues.get(webhookId);
  }

  /** How many more triggers of a webhook that were asked for by hand may come. */
  urgentCapacity(webhookId: string): number {
    return this.queues.get(webhookId)?.urgentCapacity ?? URGENT_PER_SLOT * this.concurrency;
  }

  /** @throws TypeError later if there is none: whoever has a reservation, has a queue. */
  get(webhookId: string): WebhookQueue {
    return this.queues.get(webhookId) as WebhookQueue;
  }

  /** The webhook's queue, which counts for this user, or for whom it has triggers already. */
  of(webhookId: string, userId: string): WebhookQueue {
    let queue = this.queues.get(webhookId);
    if (queue && !queue.isEmpty) return queue;
    const user = this.users.of(userId);
    queue ??= this.idle.get(webhookId) ?? new WebhookQueue(webhookId, user, this.concurrency);
    queue.countFor(user);
    this.queues.set(webhookId, queue);
    return queue;
  }

  /** A queue whose receiver is in trouble is kept for its breaker. */
  leaveIfIdle(queue: WebhookQueue): void {
    this.users.forgetIfIdle(queue.user);
    if (!queue.isIdle) return;
    queue.stopGate();
    this.queues.delete(queue.webhookId);
    this.idle.set(queue.webhookId, queue);
  }
}
