import { HELD } from '../../trigger/line/held.js';
import type { RecoveryEntity } from '../../webhook/recovery/recovery.entity.js';
import type { Stretch } from '../../webhook/recovery/recovery-scope.js';

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

/** The columns of a trigger that is due again, set in a row `t` from a row `j`: a fresh retry schedule. */
export const REVIVED = {
  status: `'PENDING'`,
  // The event may have been deleted and made again.
  event_id: 'j.event_id',
  next_attempt_at: `CASE t.lined WHEN 1 THEN ${HELD} ELSE j.due_at END`,
  end_at: '0',
  schedule_offset: 't.attempt_count',
  lease: 't.lease + 1',
  cause: `'recover'`,
};

/**
 * Not "IN ('FAILED', 'CANCELLED')": SQLite would find those first, and scan all the rows for each of them. What was superseded
 * stays so.
 */
export const IS_UNDELIVERED = `t.status NOT IN ('PENDING', 'DELIVERING', 'SUCCEEDED') AND t.cancelled_for IS NULL`;

export const NEW_COLUMNS =
  'id, notification_id, webhook_id, event_id, event_kind, user_id, status, next_attempt_at, cause, lined';

/** When a trigger is due that is made, and whether it stands in a line. Takes `isLined` twice as parameters, 0 or 1. */
export const NEW_IN_TURN = { due: `CASE ? WHEN 1 THEN ${HELD} ELSE j.due_at END`, lined: '?' };
