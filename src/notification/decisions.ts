import { SKIP_REASONS, type SkippedWebhooks } from '../engine/accept/decision-set.js';
import { reasonOf } from '../event/filter-test.js';
import type { NotificationDecision } from './notification.js';

/** A trigger of the notification. */
export interface TriggerOf {
  id: string;
  webhookId: string;
}

/**
 * What was decided about each webhook, in the order of their ids. A webhook that was skipped and got a trigger later, by a
 * recovery, counts as triggered.
 *
 * @param triggers in the order in which they were made.
 * @param names of the webhooks that there are.
 */
export function decisionsOf(
  triggers: TriggerOf[],
  skipped: SkippedWebhooks,
  names: ReadonlyMap<string, string>,
): NotificationDecision[] {
  const decisions = new Map<string, NotificationDecision>();
  for (const outcome of SKIP_REASONS) {
    for (const webhookId of skipped[outcome] ?? []) {
      const name = names.get(webhookId);
      if (name === undefined) continue;
      const part = outcome === 'filtered' ? skipped.parts?.[webhookId] : undefined;
      const reason = part === undefined ? {} : { reason: reasonOf(part) };
      decisions.set(webhookId, { webhookId, name, outcome, ...reason, triggerId: null });
    }
  }
  for (const { id, webhookId } of triggers) {
    const name = names.get(webhookId) ?? null;
    decisions.set(webhookId, { webhookId, name, outcome: 'triggered', triggerId: id });
  }
  return [...decisions.values()].sort((one, other) => (one.webhookId < other.webhookId ? -1 : 1));
}
