import type { WebhookQueue } from './webhook-queue.js';

/** How long a receiver is remembered as down when nothing is sent to it any more. */
const REMEMBERED_MS = 600_000;
/** How often to check whether a queue that could be forgotten has become empty. */
const AGAIN_MS = 10_000;

/** The queues whose receivers are down or have just recovered. Times are monotonic. */
export class TroubledQueues {
  private readonly queues = new Set<WebhookQueue>();

  /** Adds or removes a queue after its breaker has counted an attempt. */
  heard(queue: WebhookQueue): void {
    if (!queue.breaker.isClosed) this.queues.add(queue);
    else if (queue.breaker.isWell) this.queues.delete(queue);
  }

  /** The queues whose pause is over but that hold no trigger to send as the probe. */
  wantProbesAt(now: number): WebhookQueue[] {
    return [...this.queues].filter((queue) => queue.wantsProbeAt(now));
  }

  /** Removes the queues that nothing has been sent to for a long time, and returns them. */
  forgetAt(now: number): WebhookQueue[] {
    const old = [...this.queues].filter(
      ({ isEmpty, breaker }) => isEmpty && now >= breaker.pauseEnd + REMEMBERED_MS,
    );
    for (const queue of old) this.queues.delete(queue);
    return old;
  }

  /** When to look again; null if no receiver is in trouble. */
  nextAt(now: number): number | null {
    if (this.queues.size === 0) return null;
    let next = Number.POSITIVE_INFINITY;
    for (const { breaker } of this.queues) {
      const { pauseEnd } = breaker;
      next = Math.min(next, now < pauseEnd ? pauseEnd : Math.max(now + AGAIN_MS, pauseEnd + REMEMBERED_MS));
    }
    return next;
  }
}
