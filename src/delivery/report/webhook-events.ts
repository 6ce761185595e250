import { OnEvent } from '@nestjs/event-emitter';
import type { AttemptError } from '../../egress/attempt-error.js';
import type { DisabledReason } from '../../webhook/webhook.entity.js';

/** Which trigger it is about, and whose. */
export interface TriggerSettled {
  trigger_id: string;
  notification_id: string;
  webhook_id: string;
  /** Null for a test. */
  event_id: string | null;
  event_kind: string;
  user_id: string;
  /** Attempts made so far. */
  attempt_count: number;
}

/** All attempts are used up, or the receiver answered 410. */
export interface TriggerFailed extends TriggerSettled {
  error: AttemptError;
}

/** An attempt failed, and another one will be made. */
export interface AttemptFailed extends TriggerFailed {
  /** RFC 3339, UTC, milliseconds. */
  next_attempt_at: string;
}

/** A webhook was switched off because of how its receiver behaves. */
export interface WebhookDisabled {
  webhook_id: string;
  user_id: string;
  /** `gone`: the receiver answered 410. `failing`: every attempt failed for five days. */
  reason: DisabledReason;
}

/** What the application is told of its deliveries, by name. */
export interface WebhookEvents {
  'trigger.succeeded': TriggerSettled;
  'trigger.failed': TriggerFailed;
  'attempt.failed': AttemptFailed;
  'webhook.disabled': WebhookDisabled;
}

/** A method that takes the event, and whatever it likes of it. */
type Handler<Event> = <Method extends (event: Event) => unknown>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Calls the decorated method of a provider when something became of a delivery, in the process that made the attempt and
 * after it was stored; what it throws is logged. An event is emitted once and kept nowhere: the Trigger holds for good
 * what happened. `webhook.disabled` alone is emitted at least once: where the process died before, another one does so, or
 * the same at its next start.
 */
export function OnWebhookEvent<Name extends keyof WebhookEvents>(name: Name): Handler<WebhookEvents[Name]> {
  return OnEvent(name) as Handler<WebhookEvents[Name]>;
}
