import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EventEmitter2 } from '@nestjs/event-emitter';
import type { AttemptError } from '../../network/attempt-error.js';
import { EMITTER } from '../../platform/emitter.js';
import { toDateTime } from '../../platform/json/json-time.js';
import { isKnownToFail, type LeasedTrigger } from '../queue/leased-trigger.js';
import type { WebhookEvents } from './on-webhook-event.js';

/** What became of an attempt, and of its trigger. */
interface Outcome {
  judgement: { error: AttemptError | null };
  /** Epoch milliseconds; null if no further attempt follows. */
  nextAttemptAt: number | null;
}

/** Tells the application how its deliveries went. */
@Injectable()
export class DeliveryEvents {
  private readonly logger = new Logger('Delivery');

  constructor(@Inject(EMITTER) private readonly emitter: EventEmitter2) {}

  /** A listener's error is logged and does not affect the delivery. */
  emit<Name extends keyof WebhookEvents>(name: Name, event: WebhookEvents[Name]): void {
    try {
      this.emitter.emit(name, event);
    } catch (error) {
      this.logger.error(error as Error, `A listener of ${name} failed.`);
    }
  }

  /** @param userId owner of the webhook. */
  attempted(trigger: LeasedTrigger, userId: string, { judgement, nextAttemptAt }: Outcome): void {
    const settled = {
      trigger_id: trigger.id,
      notification_id: trigger.notification.id,
      webhook_id: trigger.webhookId,
      event_id: trigger.eventId,
      event_kind: trigger.eventKind,
      user_id: userId,
      attempt_count: trigger.attemptCount + 1,
    };
    const { error } = judgement;
    if (error === null) {
      this.emit('trigger.succeeded', settled);
      if (trigger.hasFailed) this.emit('trigger.recovered', { ...settled, cause: trigger.cause });
    } else if (nextAttemptAt === null) {
      if (!isKnownToFail(trigger)) this.emit('trigger.failed', { ...settled, error });
    } else this.emit('attempt.failed', { ...settled, error, next_attempt_at: toDateTime(nextAttemptAt) });
  }
}
