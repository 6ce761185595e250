import { Column, Table } from '../../table.js';

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
@Table('webhook_trigger', {
  indices: [
    // The webhook comes last, so that finding due triggers reads only the index.
    { name: 'webhook_trigger_due', columns: ['status', 'nextAttemptAt', 'id', 'webhookId'] },
    { name: 'webhook_trigger_user', columns: ['userId', 'id'] },
    { name: 'webhook_trigger_webhook', columns: ['webhookId', 'id'] },
    { name: 'webhook_trigger_notification', columns: ['notificationId'] },
  ],
})
export class TriggerEntity {
  @Column.ascii(36, { primary: true }) id: string;
  @Column.ascii(36) notificationId: string;
  @Column.ascii(36) webhookId: string;
  /** Null for a test. */
  @Column.ascii(36, { nullable: true }) eventId: string | null;
  @Column.ascii(64) eventKind: string;
  @Column.unicode(128) userId: string;
  @Column.fixedAscii(12) status: TriggerStatus;
  /** Also the number of its last attempt, which holds the request and the response. */
  @Column.integer({ default: 0 }) attemptCount: number;
  /** `attemptCount` when the retry schedule last restarted; a manual retry restarts it. */
  @Column.integer({ default: 0 }) scheduleOffset: number;
  /** Start of the first attempt, end of the last. Epoch milliseconds. */
  @Column.timeToCome() beginAt: number | null;
  @Column.timeToCome() endAt: number | null;
  /** Below zero for one that goes before all others. The ledger knows how to read it. */
  @Column.timeToCome() nextAttemptAt: number | null;
  /** The instance that holds the lease; empty if none does. */
  @Column.fixedAscii(36, { default: '' }) leasedBy: string;
  /** Fencing token: changes whenever the lease does, so that a stale holder's result matches no row. */
  @Column.integer({ default: 0 }) lease: number;
  /** Why the next attempt will be made. `probe` is that of a disabled webhook; a probe of the breaker is known only when it is sent. */
  @Column.fixedAscii(8, { default: 'schedule' }) cause: AttemptCause;
  /** Whether it has been `FAILED` and has not succeeded since. */
  @Column.boolean({ default: false }) hasFailed: boolean;
  /** Why it was cancelled, if not by switching off: its data was erased, or a newer trigger took its place. */
  @Column.ascii(12, { nullable: true }) cancelledFor: CancelledFor | null;
  /** Whether it belongs to a group of its webhook while it is undelivered. */
  @Column.boolean({ default: false }) ordered: boolean;
}
