import type { WebhookQueue } from './webhook-queue.js';

/** How long it is remembered of a receiver that it was down, where nothing is sent to it any more. */
const REMEMBERED_MS = 600_000;
/** Before it is looked again whether one that is remembered for longer is empty. */
const AGAIN_MS = 10_000;

/** The queues whose receivers are down, or were until a moment ago. Times are of the monotonic clock. */
export class TroubledQueues {
  private readonly queues = new Set<WebhookQueue>();

  /** Takes in or lets go a queue whose breaker has heard of an attempt. */
  heard(queue: WebhookQueue): void {
    if (!queue.breaker.isClosed) this.queues.add(queue);
    else if (queue.breaker.isWell) this.queues.delete(queue);
  }

  /** Those whose pause is over, and that have nothing that could be the probe. */
  wantProbesAt(now: number): WebhookQueue[] {
    return [...this.queues].filter((queue) => queue.wantsProbeAt(now));
  }

  /** Lets go, and answers, those that nobody has sent to for long. */
  forgetAt(now: number): WebhookQueue[] {
    const old = [...this.queues].filter(
      ({ isEmpty, breaker }) => isEmpty && now >= breaker.pauseEnd + REMEMBERED_MS,
    );
    for (const queue of old) this.queues.delete(queue);
    return old;
  }

  /** When there is something to do again; null where nobody is in trouble. */
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
