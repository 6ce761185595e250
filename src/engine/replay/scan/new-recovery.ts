import { timeOfId } from '../../../platform/ids/first-id.js';
import { newId } from '../../../platform/ids/ids.js';
import type { RecoveryEntity } from '../../../store/tables/webhook/recovery.entity.js';
import type { WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import { SETTLING_MS, startOf } from './recovery-scope.js';

/** The rate of a recovery, unless it is given one. */
export const DEFAULT_PER_SECOND = 10;

/** The row of a recovery that begins. Nothing is counted yet. */
export function newRecovery(
  webhook: { id: string; userId: string },
  given: Pick<RecoveryEntity, 'since' | 'until' | 'missed' | 'perSecond'>,
  beginAt: number,
): RecoveryEntity {
  const position = startOf(given.since);
  return {
    ...given,
    id: newId(),
    webhookId: webhook.id,
    userId: webhook.userId,
    state: 'RUNNING',
    total: 0,
    done: 0,
    position,
    counted: position,
    beginAt,
    endAt: null,
    runningOf: webhook.id,
    heldBy: '',
  };
}

/**
 * The recovery of all that a webhook has missed since its trouble began. It begins while calls that saw the webhook disabled
 * may still be about to commit, so it stays open for that long.
 *
 * @param newestId of the user's notifications, which was made later than now if the clock was set back since; null if there
 * is none.
 */
export function recoveryAfter(webhook: WebhookEntity, newestId: string | null, now: number): RecoveryEntity {
  const beginAt = Math.max(now, newestId === null ? now : timeOfId(newestId)) + SETTLING_MS;
  const since = Math.min(webhook.recoverFrom === null ? now : timeOfId(webhook.recoverFrom), beginAt);
  const given = { since, until: beginAt, missed: true, perSecond: DEFAULT_PER_SECOND };
  return newRecovery(webhook, given, beginAt);
}
