import { newId } from '../../../platform/ids/ids.js';
import type { RecoveryEntity } from '../../../store/tables/webhook/recovery.entity.js';
import { startOf } from './recovery-scope.js';

/** The pace of a recovery, unless it is given one. */
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
