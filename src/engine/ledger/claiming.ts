import type { AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import { NEVER_DUE } from './never-due.js';

/** A trigger's row as it was claimed. */
export interface ClaimedRow {
  id: string;
  webhook_id: string;
  event_id: string | null;
  event_kind: string;
  notification_id: string;
  next_attempt_at: number | string;
  lease: number;
  attempt_count: number;
  schedule_offset: number;
  cause: AttemptCause;
  has_failed: number | boolean;
  ordered: number | boolean;
}

const COLUMNS =
  'id, webhook_id, event_id, event_kind, notification_id, next_attempt_at, lease, attempt_count, schedule_offset, cause, has_failed, ordered';

/** A trigger may have been blocked since it was found. */
const IS_CLAIMABLE = `status = 'PENDING' AND next_attempt_at < ${NEVER_DUE}`;

const TO_DELIVERING = `status = 'DELIVERING', leased_by = ?, lease = lease + 1`;

/** Claims one trigger on SQLite. Its parameters are the instance and the id; it returns a {@link ClaimedRow}. */
export const CLAIM_ONE = `UPDATE webhook_trigger SET ${TO_DELIVERING} WHERE id = ? AND ${IS_CLAIMABLE} RETURNING ${COLUMNS}`;

/** Locks those of a list that can be claimed, on MySQL, and skips what other processes are claiming at this moment. */
export const LOCK_CLAIMABLE = `SELECT ${COLUMNS} FROM webhook_trigger FORCE INDEX (PRIMARY)
  WHERE id IN (?) AND ${IS_CLAIMABLE} FOR UPDATE SKIP LOCKED`;

/** Claims a list of locked triggers, by key: MySQL would scan a small table, and wait for rows that others have locked. */
export const CLAIM_LOCKED = `UPDATE webhook_trigger FORCE INDEX (PRIMARY) SET ${TO_DELIVERING} WHERE id IN (?)`;
