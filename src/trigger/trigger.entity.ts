import { EntitySchema } from 'typeorm';
import type { Columns } from '../database/columns.js';

/**
 * `PENDING` (waiting, also between attempts) → `DELIVERING` (leased by an instance) → `SUCCEEDED`, `FAILED`
 * (attempts used up) or `CANCELLED` (webhook or event deleted or disabled before delivery).
 */
export const TRIGGER_STATUSES = ['PENDING', 'DELIVERING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
/** Where a trigger is: waiting, under way, or at one of its three ends. */
export type TriggerStatus = (typeof TRIGGER_STATUSES)[number];

/**
 * A row of `webhook_trigger`: one firing of one webhook, and its place in the delivery queue. What changes in it is
 * always of the same length, so that MySQL writes in place: a row that grows costs twice as much.
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
  /** Also the number of its last attempt, which holds what was sent and what came back. */
  attemptCount: number;
  /** Attempts counted when the retry schedule last began anew; a manual retry starts it again. */
  scheduleOffset: number;
  /** Start of the first attempt, end of the last. Epoch milliseconds. */
  beginAt: number | null;
  endAt: number | null;
  nextAttemptAt: number | null;
  /** The instance that holds the lease; empty where none does. */
  leasedBy: string;
  /** Fencing token: it changes whenever the lease does, so that a stale holder's result matches nothing. */
  lease: number;
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
    },
    indices: [
      // The webhook last, so that a look for due triggers reads nothing but the index.
      { name: 'webhook_trigger_due', columns: ['status', 'nextAttemptAt', 'id', 'webhookId'] },
      { name: 'webhook_trigger_user', columns: ['userId', 'id'] },
      { name: 'webhook_trigger_webhook', columns: ['webhookId', 'id'] },
      { name: 'webhook_trigger_notification', columns: ['notificationId'] },
    ],
  });
