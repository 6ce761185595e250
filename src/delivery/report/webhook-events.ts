import { OnEvent } from '@nestjs/event-emitter';
import type { AttemptError } from '../../egress/attempt-error.js';
import type { DisabledReason } from '../../webhook/webhook.entity.js';

/** The trigger that was settled, and its owner. */
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

/** An attempt failed and another one will be made. */
export interface AttemptFailed extends TriggerFailed {
  /** RFC 3339, UTC, milliseconds. */
  next_attempt_at: string;
}

/** A webhook was disabled because of its receiver's answers. */
export interface WebhookDisabled {
  webhook_id: string;
  user_id: string;
  /** `gone`: the receiver answered 410. `failing`: every attempt failed for five days. */
  reason: DisabledReason;
}

/** The events that tell the application about its deliveries, by name. */
export interface WebhookEvents {
  'trigger.succeeded': TriggerSettled;
  'trigger.failed': TriggerFailed;
  'attempt.failed': AttemptFailed;
  'webhook.disabled': WebhookDisabled;
}

/** A decorator for a method that takes the event. */
type Handler<Event> = <Method extends (event: Event) => unknown>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Calls the decorated method of a provider with each such event, in the process that made the attempt and after its
 * result was stored; errors that it throws are logged. An event is emitted at most once and not kept: the Trigger records
 * for good what happened. Only `webhook.disabled` is emitted at least once: if the process dies before, another one
 * emits it, or the same one at its next start.
 */
export function OnWebhookEvent<Name extends keyof WebhookEvents>(name: Name): Handler<WebhookEvents[Name]> {
  return OnEvent(name) as Handler<WebhookEvents[Name]>;
}
