import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import type { Replayed } from '../ledger/replay.js';
import type { Found, Stretch } from './scan/recovery-scope.js';

/** What the next step of a recovery does. */
export interface Step {
  stretch: Stretch;
  /** Whether the webhook's notifications stand in lines: a trigger that is made takes its place in one. */
  isLined: boolean;
  /** When each trigger found is due. Queue time. */
  dueAt: number[];
  /** Where the walk ends. */
  endId: string;
  /** Epoch milliseconds. */
  now: number;
}

/** Stores the steps of recoveries; there is one class for each dialect. */
export abstract class StepRepository {
  /**
   * Makes due what a step found, makes the triggers that never were, and stores how far the recovery has come or that it
   * has ended: all in one transaction, and nothing unless the recovery runs, is held by this instance and stands where
   * the step was planned. Leaves out events that were switched off meanwhile, and bodies that are gone. If the webhook
   * is off or gone, the recovery is stopped.
   *
   * @returns false if the recovery is over or another instance's.
   */
  abstract carryOn(row: RecoveryEntity, step: Step): Promise<boolean>;
}

/** What a step sends again, and makes, of what was found. @param isWanted whether it is still to be sent. */
export function replayedBy(
  { webhookId, userId }: RecoveryEntity,
  { stretch, isLined, dueAt }: Step,
  isWanted: (found: Found) => boolean = () => true,
): Replayed {
  const replayed: Replayed = { webhookId, userId, isLined, cause: 'recover', resent: [], made: [] };
  for (const [i, found] of stretch.found.entries()) {
    if (!isWanted(found)) continue;
    const { triggerId, notificationId, event } = found;
    const one = {
      triggerId,
      notificationId,
      eventId: event.id,
      eventKind: event.kind,
      dueAt: dueAt[i] as number,
    };
    (found.isNew ? replayed.made : replayed.resent).push(one);
  }
  return replayed;
}
