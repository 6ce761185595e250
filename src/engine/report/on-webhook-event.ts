import { OnEvent } from '@nestjs/event-emitter';
import type { AttemptError } from '../../network/attempt-error.js';
import type { AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import type { DisabledReason } from '../../store/tables/webhook/webhook.entity.js';

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

/** A trigger that had failed succeeded after all: it was retried, or its webhook was recovered. */
export interface TriggerRecovered extends TriggerSettled {
  /** Why the attempt that succeeded was made. */
  cause: AttemptCause;
}

/** A webhook fails, and is a quarter, a half or three quarters of the way to being disabled for that. */
export interface WebhookFailing {
  webhook_id: string;
  user_id: string;
  /** The start of the first attempt that failed without a success since. RFC 3339, UTC, milliseconds. */
  failing_since: string;
  /** 25, 50 or 75. */
  percent: number;
  /** From then on the next failure disables it. RFC 3339, UTC, milliseconds. */
  will_be_disabled_at: string;
}

/** A webhook was disabled because of its receiver's answers. */
export interface WebhookDisabled {
  webhook_id: string;
  user_id: string;
  /** `gone`: the receiver answered 410. `failing`: every attempt failed for `delivery.failingDisableHours`. */
  reason: DisabledReason;
}

/** The events that tell the application about its deliveries, by name. */
export interface WebhookEvents {
  'trigger.succeeded': TriggerSettled;
  'trigger.failed': TriggerFailed;
  'trigger.recovered': TriggerRecovered;
  'attempt.failed': AttemptFailed;
  'webhook.failing': WebhookFailing;
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
