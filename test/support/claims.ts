import { AcceptRepository, type NewNotification } from '../../src/engine/accept/accept.repository.js';
import type { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { QUEUE_START } from '../../src/engine/ledger/queue-order.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import type { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import { newId } from '../../src/platform/ids/ids.js';
import { newNotification } from './new-notification.js';
import type { TestService } from './service.js';

/** Stores triggers of one new notification for a webhook, due when that was made. */
export async function storeDue(
  { get }: Pick<TestService, 'get'>,
  webhookId: string,
  count: number,
  of: Partial<NewNotification>,
  leasedBy: string | null = null,
): Promise<void> {
  const notification = newNotification(of);
  const triggers = Array.from({ length: count }, () => ({
    ...{ id: newId(), notification, webhookId, dueAt: notification.triggeredAt },
    ...{ eventId: newId(), position: null, leasedBy },
  }));
  await get(AcceptRepository).insert(null, [notification], triggers);
}

/** Reads the due triggers and claims them, like a process with room for `limit` of them. */
export async function claimDue(
  { due, queue }: { due: DueRepository; queue: QueueRepository },
  instanceId: string,
  now: number,
  limit: number,
  except: string[] = [],
): Promise<LeasedTrigger[]> {
  const found = await due.due(now, QUEUE_START, 10_000);
  const wanted = found.filter(({ webhookId }) => !except.includes(webhookId)).slice(0, limit);
  return queue.claim(
    instanceId,
    wanted.map(({ id }) => id),
  );
}
