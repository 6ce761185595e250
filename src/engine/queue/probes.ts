import type { Clock } from '../../platform/clock.js';
import type { QueueMap } from './queue-map.js';
import type { WebhookQueue } from './webhook-queue.js';

/** How long a receiver's failures are remembered when nothing is sent to it any more. */
const REMEMBERED_MS = 600_000;
/** How often to check whether a queue that could be forgotten has become empty. */
const AGAIN_MS = 10_000;

/** Which receivers have failed and want a probe, and when. Times are monotonic. */
export class Probes {
  constructor(
    private readonly queues: QueueMap,
    private readonly clock: Clock,
  ) {}

  /** Webhooks whose pause is over and that have no trigger to send as the probe. Forgets what failed long ago. */
  wanted(): string[] {
    const now = this.clock.monotonic();
    for (const queue of this.unwell) {
      if (!queue.isEmpty || now < queue.breaker.troubledUntil + REMEMBERED_MS) continue;
      queue.breaker.reset();
      this.queues.leaveIfIdle(queue);
    }
    return this.unwell.filter((queue) => queue.wantsProbeAt(now)).map(({ webhookId }) => webhookId);
  }

  /** When this webhook's pause is over. Null if it is not paused. */
  at(webhookId: string): number | null {
    const queue = this.queues.find(webhookId);
    return !queue || queue.breaker.isClosed ? null : queue.breaker.pauseEnd;
  }

  /** When to ask for the {@link wanted} again; null if no receiver is in trouble. */
  nextAt(): number | null {
    const now = this.clock.monotonic();
    const times = this.unwell.map(({ breaker: { pauseEnd, troubledUntil } }) =>
      now < pauseEnd ? pauseEnd : Math.max(now + AGAIN_MS, troubledUntil + REMEMBERED_MS),
    );
    return times.length === 0 ? null : Math.min(...times);
  }

  private get unwell(): WebhookQueue[] {
    return this.queues.all.filter(({ breaker }) => !breaker.isWell);
  }
}
