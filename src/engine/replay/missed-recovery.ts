import { timeOfId } from '../../platform/ids/first-id.js';
import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import type { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';
import { DEFAULT_PER_SECOND, newRecovery } from './scan/new-recovery.js';
import { SETTLING_MS } from './scan/recovery-scope.js';

/**
 * The recovery of all that a webhook has missed since its trouble began. It begins while calls that saw the webhook disabled
 * may still be about to commit, so it stays open for that long.
 *
 * @param newestId of the user's notifications, which was made later than now if the clock was set back since; null if there
 * is none.
 */
export function recoveryAfter(webhook: WebhookEntity, newestId: string | null, now: number): RecoveryEntity {
  const newest = newestId === null ? now : timeOfId(newestId);
  const beginAt = Math.max(now, newest) + SETTLING_MS;
  const since = webhook.recoverFrom === null ? now : timeOfId(webhook.recoverFrom);
  return newRecovery(
    webhook,
    { since: Math.min(since, beginAt), until: beginAt, missed: true, perSecond: DEFAULT_PER_SECOND },
    beginAt,
  );
}
