import type { WebhookQueue } from './webhook-queue.js';

/** How long a receiver's failures are remembered when nothing is sent to it any more. */
const REMEMBERED_MS = 600_000;
/** How often to check whether a queue that could be forgotten has become empty. */
const AGAIN_MS = 10_000;

/** The queues whose receivers have failed and are not well again. Times are monotonic. */
export class TroubledQueues {
  private readonly queues = new Set<WebhookQueue>();

  /** Adds or removes a queue after its breaker has counted an attempt. */
  heard(queue: WebhookQueue): void {
    if (queue.breaker.isWell) this.queues.delete(queue);
    else this.queues.add(queue);
  }

  /** The queues whose pause is over but that hold no trigger to send as the probe. */
  wantProbesAt(now: number): WebhookQueue[] {
    return [...this.queues].filter((queue) => queue.wantsProbeAt(now));
  }

  /** Removes the queues that nothing has been sent to for a long time, and returns them. */
  forgetAt(now: number): WebhookQueue[] {
    const old = [...this.queues].filter(
      ({ isEmpty, breaker }) => isEmpty && now >= breaker.troubledUntil + REMEMBERED_MS,
    );
    for (const queue of old) this.queues.delete(queue);
    return old;
  }

  /** When to look again; null if no receiver is in trouble. */
  nextAt(now: number): number | null {
    if (this.queues.size === 0) return null;
    let next = Number.POSITIVE_INFINITY;
    for (const { breaker } of this.queues) {
      const { pauseEnd, troubledUntil } = breaker;
      const forgetAt = Math.max(now + AGAIN_MS, troubledUntil + REMEMBERED_MS);
      next = Math.min(next, now < pauseEnd ? pauseEnd : forgetAt);
    }
    return next;
  }
}
