import { timeOfId } from '../../common/ids/first-id.js';
import { DEFAULT_PER_SECOND, newRecovery } from '../../webhook/recovery/new-recovery.js';
import type { RecoveryEntity } from '../../webhook/recovery/recovery.entity.js';
import { SETTLING_MS } from '../../webhook/recovery/recovery-scope.js';
import type { WebhookEntity } from '../../webhook/webhook.entity.js';

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
