import type { AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import type { ClaimedRow } from '../ledger/claiming.js';
import { dueTimeOf, isUrgent } from '../ledger/due-time.js';
import type { LeasedNotification, LeasedTrigger } from './leased-trigger.js';

/** The triggers with what to send. */
export function withNotifications(
  leasedBy: string,
  claimed: ClaimedRow[],
  found: LeasedNotification[],
): LeasedTrigger[] {
  const notifications = new Map(found.map((notification) => [notification.id, notification]));
  return claimed.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventKind: row.event_kind,
    dueAt: dueTimeOf(row.next_attempt_at),
    lease: row.lease,
    leasedBy,
    attemptCount: row.attempt_count,
    scheduleOffset: row.schedule_offset,
    hasFailed: Boolean(row.has_failed),
    ordered: Boolean(row.ordered),
    cause: causeOf(row),
    isProbe: row.cause === 'probe',
    urgent: isUrgent(row.next_attempt_at),
    notification: notifications.get(row.notification_id) ?? gone(row.notification_id),
    breakerEpoch: 0,
  }));
}

/** A test has no event. Only its first attempt is the test; later ones follow the schedule. */
const causeOf = ({ cause, event_id, attempt_count }: ClaimedRow): AttemptCause =>
  cause === 'schedule' && event_id === null && attempt_count === 0 ? 'test' : cause;

/** Stands for a missing notification: its triggers fail one by one when they are sent, and delay no other claim. */
const gone = (id: string): LeasedNotification => ({ id, traceparent: null, hops: 0, body: null });
