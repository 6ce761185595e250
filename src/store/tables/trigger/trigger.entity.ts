import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * `PENDING` (waiting, also between attempts) → `DELIVERING` (leased by an instance) → `SUCCEEDED`, `FAILED`
 * (attempts used up) or `CANCELLED` (webhook or event disabled or deleted, data erased, or superseded).
 */
export const TRIGGER_STATUSES = ['PENDING', 'DELIVERING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
/** A trigger's state: waiting, being delivered, or in one of three final states. */
export type TriggerStatus = (typeof TRIGGER_STATUSES)[number];

/**
 * Why an attempt is made: the retry schedule, a manual retry, a recovery of the webhook, a probe of a receiver that was down
 * (by the breaker, or because its webhook was disabled for failing), or a test.
 */
export const ATTEMPT_CAUSES = ['schedule', 'retry', 'recover', 'probe', 'test'] as const;
/** Why an attempt is made. */
export type AttemptCause = (typeof ATTEMPT_CAUSES)[number];

export type CancelledFor = 'erased' | 'superseded';

/**
 * A row of `webhook_trigger`: one firing of one webhook, and where it stands in the delivery queue. The columns that change have a
 * fixed length, so that MySQL updates the row in place: a row that grows costs twice as much.
 */
export class TriggerEntity {
  id: string;
  notificationId: string;
  webhookId: string;
  /** Null for a test. */
  eventId: string | null;
  eventKind: string;
  userId: string;
  status: TriggerStatus;
  /** Also the number of its last attempt, which holds the request and the response. */
  attemptCount: number;
  /** `attemptCount` when the retry schedule last restarted; a manual retry restarts it. */
  scheduleOffset: number;
  /** Start of the first attempt, end of the last. Epoch milliseconds. */
  beginAt: number | null;
  endAt: number | null;
  /** Below zero for one that goes before all others. The ledger knows how to read it. */
  nextAttemptAt: number | null;
  /** The instance that holds the lease; empty if none does. */
  leasedBy: string;
  /** Fencing token: changes whenever the lease does, so that a stale holder's result matches no row. */
  lease: number;
  /** Why the next attempt will be made. `probe` is that of a disabled webhook; a probe of the breaker is known only when it is sent. */
  cause: AttemptCause;
  /** Whether it has been `FAILED` and has not succeeded since. */
  hasFailed: boolean;
  /** Why it was cancelled, if not by switching off: its data was erased, or a newer trigger took its place. */
  cancelledFor: CancelledFor | null;
  /** Whether it belongs to a group of its webhook while it is undelivered. */
  ordered: boolean;
}

export const triggerSchema = (column: Columns) =>
  new EntitySchema<TriggerEntity>({
    name: 'TriggerEntity',
    target: TriggerEntity,
    tableName: 'webhook_trigger',
    columns: {
      id: { ...column.ascii(36), primary: true },
      notificationId: { ...column.ascii(36), name: 'notification_id' },
      webhookId: { ...column.ascii(36), name: 'webhook_id' },
      eventId: { ...column.ascii(36), name: 'event_id', nullable: true },
      eventKind: { ...column.ascii(64), name: 'event_kind' },
      userId: { ...column.unicode(128), name: 'user_id' },
      status: column.fixedAscii(12),
      attemptCount: { ...column.integer(), name: 'attempt_count', default: 0 },
      scheduleOffset: { ...column.integer(), name: 'schedule_offset', default: 0 },
      beginAt: { ...column.timeToCome(), name: 'begin_at' },
      endAt: { ...column.timeToCome(), name: 'end_at' },
      nextAttemptAt: { ...column.timeToCome(), name: 'next_attempt_at' },
      leasedBy: { ...column.fixedAscii(36), name: 'leased_by', default: '' },
      lease: { ...column.integer(), default: 0 },
      cause: { ...column.fixedAscii(8), default: 'schedule' },
      hasFailed: { ...column.boolean(), name: 'has_failed', default: false },
      cancelledFor: { ...column.ascii(12), name: 'cancelled_for', nullable: true },
      ordered: { ...column.boolean(), default: false },
    },
    indices: [
      // The webhook comes last, so that finding due triggers reads only the index.
      { name: 'webhook_trigger_due', columns: ['status', 'nextAttemptAt', 'id', 'webhookId'] },
      { name: 'webhook_trigger_user', columns: ['userId', 'id'] },
      { name: 'webhook_trigger_webhook', columns: ['webhookId', 'id'] },
      { name: 'webhook_trigger_notification', columns: ['notificationId'] },
    ],
  });
