import type { LeasedTrigger } from './leased-trigger.js';
import type { UserRoom } from './user-room.js';
import type { WebhookQueue } from './webhook-queue.js';

/** Triggers of a webhook that wait and will not start soon. */
export interface LateTriggers {
  webhookId: string;
  userId: string;
  triggers: LeasedTrigger[];
}

/**
 * Counts, for each queue, the triggers that wait and will not start soon: because of the webhook's own receiver, or
 * because other queues have the slots of their user or of the process.
 */
export function countLate(queues: WebhookQueue[], space: UserRoom, now: number): [WebhookQueue, number][] {
  const waiting = queues.filter((queue) => queue.waiting.length > 0);
  const late = new Map(waiting.map((queue) => [queue, queue.lateAt(now)]));
  const rest = (queue: WebhookQueue) => queue.waiting.length - (late.get(queue) as number);
  const spread = (among: WebhookQueue[], userId?: string) => {
    const all = among.reduce((sum, queue) => sum + rest(queue), 0);
    let more = space.lateAt(now, all, userId);
    for (const queue of among) {
      const part = Math.min(more, rest(queue));
      late.set(queue, (late.get(queue) as number) + part);
      more -= part;
    }
  };
  for (const [userId, own] of Map.groupBy(waiting, (queue) => queue.userId)) spread(own, userId);
  spread(waiting);
  return [...late].filter(([, count]) => count > 0);
}
