import type { Acceptance, AcceptedTrigger } from '../engine/accept/intake.js';
import { toDateTime } from '../platform/json/json-time.js';

/** A stored notification, with a trigger for each webhook that will get it. */
export interface AcceptedNotification {
  /** Sent to the receivers as `webhook-id`. UUIDv7. */
  id: string;
  /** Upper snake case, such as `RECORD_FINISHED`. */
  eventKind: string;
  /** RFC 3339, UTC, milliseconds. */
  triggeredAt: string;
  /** One for each subscribed webhook. */
  triggers: AcceptedTrigger[];
  /** True if an earlier call with the same idempotency key stored it. */
  replayed: boolean;
}

/** What services answer for an accepted notification. */
export function acceptedOf({ notification, triggers, replayed }: Acceptance): AcceptedNotification {
  const { id, eventKind, triggeredAt } = notification;
  return { id, eventKind, triggeredAt: toDateTime(triggeredAt), triggers, replayed };
}
