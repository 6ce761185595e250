import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { withoutStatement } from '../../platform/without-statement.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { DeliveryEvents } from '../report/delivery-events.js';
import { LAPSED } from '../send/sender.js';
import { WebhookHealth } from './health/webhook-health.js';
import { Requeue } from './requeue.js';
import { pauseAskedMs, type SendResult } from './send-result.js';
import { Settlement } from './settlement.js';

/** The pause before a trigger that failed through a fault of ours is tried again: the fault may last. */
const AFTER_BUG_MS = 10_000;

/** Handles the end of an attempt: stores its result, tells the application, and updates the webhook's health. */
@Injectable()
export class FinishedAttempts {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly settlement: Settlement,
    private readonly requeues: Requeue,
    private readonly health: WebhookHealth,
    private readonly events: DeliveryEvents,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Resolves when the result is stored, or the lease given back, however long that takes.
   *
   * @param onApart called if that may take long because of this one result.
   */
  finish(trigger: LeasedTrigger, result: SendResult, onApart: () => void): Promise<void> {
    const stored = this.store(trigger, result, onApart);
    if (!trigger.isProbe) return stored;
    return stored.then(() =>
      this.signals.emit('probed', trigger.webhookId, pauseAskedMs(result, this.clock.now())),
    );
  }

  private async store(trigger: LeasedTrigger, result: SendResult, onApart: () => void): Promise<void> {
    if (result === null) return this.requeue(trigger, onApart);
    if (result === LAPSED)
      return this.signals.emit('due', await this.requeues.pending([trigger], 0, onApart));
    try {
      if ('error' in result) throw result.error;
      const { receiver, attempt } = result;
      // An attempt without a request says nothing about the webhook.
      const isRequest = receiver.fault === null && attempt.request !== null;
      const noted = isRequest ? this.health.heard(receiver, attempt) : null;
      if (noted !== null) await noted;
      const settled = await this.settlement.settle(trigger, attempt, receiver, onApart);
      if (trigger.ordered) this.signals.emit('ordered');
      if (settled.nextAttemptAt !== null) this.signals.emit('due', settled.nextAttemptAt);
      if (settled.isNotable) this.signals.emit('noticed');
      this.events.attempted(trigger, receiver.userId, settled);
      if (isRequest && settled.judgement.error !== null)
        await this.health.note(receiver, attempt, settled.judgement, trigger);
    } catch (error) {
      this.logger.error(
        withoutStatement(error) as Error,
        `Trigger ${trigger.id} could not be delivered; it will be tried again.`,
      );
      await this.requeues.pending([trigger], AFTER_BUG_MS, onApart);
    }
  }

  private async requeue(trigger: LeasedTrigger, onApart: () => void): Promise<void> {
    const dueAt = await this.requeues.unwanted([trigger], onApart);
    if (dueAt !== null) this.signals.emit('due', dueAt);
  }
}
