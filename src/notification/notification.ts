import type { SkipReason } from '../engine/accept/decision-set.js';
import { isWhole } from '../engine/ledger/whole-body.js';
import { members } from '../platform/json/json-text.js';
import { toDateTime } from '../platform/json/json-time.js';
import type { NotificationEntity } from '../store/tables/trigger/notification.entity.js';
import type { TriggerStatus } from '../store/tables/trigger/trigger.entity.js';

/** How many triggers of a notification are in each state. */
export interface TriggerCounts {
  pending: number;
  delivering: number;
  succeeded: number;
  failed: number;
  cancelled: number;
}

/** A lifecycle event that was reported. It is kept also if no webhook gets it. */
export interface Notification {
  /** Sent to the receivers as `webhook-id`. UUIDv7. */
  id: string;
  /** Whose webhooks hear of it. */
  userId: string;
  /** Upper snake case, such as `RECORD_FINISHED`; `WEBHOOK_TEST` for a test without a kind. */
  eventKind: string;
  /** The `id` of the record; null if the record, of a kind of the application's own, has none. */
  recordId: string | null;
  /** RFC 3339, UTC, milliseconds. */
  triggeredAt: string;
  /** When the record was erased; null if it was not. RFC 3339, UTC, milliseconds. */
  erasedAt: string | null;
  /** What became of it so far. */
  triggers: TriggerCounts;
}

/**
 * Whether a webhook got a notification, and if not, why: it was disabled, or not subscribed to the kind, or its event was
 * disabled or did not let it through. Where several reasons hold, the first of these.
 */
export type DecisionOutcome = 'triggered' | SkipReason;

/** What was decided about one webhook. */
export interface NotificationDecision {
  /** UUIDv7. */
  webhookId: string;
  /** The webhook's present name; null if it is deleted. */
  name: string | null;
  outcome: DecisionOutcome;
  /** For `filtered`: the part of the filter that did not match. */
  reason?: string;
  /** UUIDv7; null unless it is `triggered`. */
  triggerId: string | null;
}

/** A lifecycle event that was reported, with its record and with what was decided about each webhook. */
export interface NotificationDetail extends Notification {
  /** The record as it is sent: JSON text, character for character. Null once it is erased or past its retention. */
  data: string | null;
  /**
   * One for each webhook that the user had when it was reported, in the order of their ids. Webhooks that are deleted since
   * are left out unless they were triggered. A test has its one webhook only.
   */
  decisions: NotificationDecision[];
}

/** The row of a notification without its body. */
export type NotificationRow = Omit<NotificationEntity, 'body'>;

export const noTriggers = (): TriggerCounts => ({
  pending: 0,
  delivering: 0,
  succeeded: 0,
  failed: 0,
  cancelled: 0,
});

/** The name of a status among the counts. */
export const countName = (status: TriggerStatus) => status.toLowerCase() as Lowercase<TriggerStatus>;

/** What services answer for a stored notification. */
export function notificationOf(row: NotificationRow, triggers: TriggerCounts): Notification {
  return {
    id: row.id,
    userId: row.userId,
    eventKind: row.eventKind,
    recordId: row.recordId,
    triggeredAt: toDateTime(row.triggeredAt),
    erasedAt: row.erasedAt === null ? null : toDateTime(row.erasedAt),
    triggers,
  };
}

/** The source text of the record in a stored body; null once it is gone, or if it is damaged. */
export function dataOf({ id, body, payloadGoneAt }: NotificationEntity): string | null {
  if (payloadGoneAt !== null || body.length === 0) return null;
  if (!isWhole(id, body)) return null;
  const text = body.toString();
  const data = members(text, 0, ['data'])[0];
  return data ? text.slice(data.start, data.end) : null;
}
