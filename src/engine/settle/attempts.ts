import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { withoutStatement } from '../../platform/without-statement.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { DeliveryEvents } from '../report/delivery-events.js';
import { LAPSED, Sender } from '../send/sender.js';
import { type AttemptEnd, attemptEnd } from './attempt-end.js';
import { HealthWatcher } from './health/health-watcher.js';
import { Requeuer } from './requeuer.js';
import { Settlement } from './settlement.js';

/** The pause before a trigger that failed through a fault of ours is tried again: the fault may last. */
const AFTER_BUG_MS = 10_000;

/** Makes attempts: sends a trigger, stores the result, tells the application, and updates the webhook's health. */
@Injectable()
export class Attempts {
  private readonly logger = new Logger('Delivery');

  constructor(
    private readonly sender: Sender,
    private readonly settlement: Settlement,
    private readonly requeuer: Requeuer,
    private readonly health: HealthWatcher,
    private readonly events: DeliveryEvents,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Resolves as soon as the receiver has answered, and never rejects; {@link finish} must follow. */
  send(trigger: LeasedTrigger): Promise<AttemptEnd> {
    // An async function here costs each delivery a KiB of garbage.
    return this.sender.send(trigger).then(this.ended, this.failed);
  }

  /**
   * Resolves when the result is stored, or the trigger requeued, however long that takes.
   *
   * @param pausedMs for how long this process leaves the receiver alone; 0 if it does not.
   * @param onApart called if it may take long because of this one trigger.
   */
  finish(trigger: LeasedTrigger, end: AttemptEnd, pausedMs: number, onApart: () => void): Promise<void> {
    const stored = this.store(trigger, end, pausedMs, onApart);
    if (!trigger.isProbe) return stored;
    return stored.then(() => this.signals.emit('probed', trigger.webhookId, end.pauseMs));
  }

  /** Stops trying to store results and to requeue, because the process is ending. */
  stop(): void {
    this.settlement.stop();
    this.requeuer.stop();
  }

  private readonly ended = (result: AttemptEnd['result']): AttemptEnd => attemptEnd(result, this.clock.now());
  private readonly failed = (error: unknown): AttemptEnd => this.ended({ error });

  private async store(
    trigger: LeasedTrigger,
    { result }: AttemptEnd,
    pausedMs: number,
    onApart: () => void,
  ): Promise<void> {
    if (result === null) return this.requeuer.requeueUnwanted([trigger], onApart);
    if (result === LAPSED) return this.requeuer.requeue([trigger], 0, onApart);
    try {
      if ('error' in result) throw result.error;
      const { receiver, attempt } = result;
      // An attempt without a request says nothing about the webhook.
      const isRequest = receiver.fault === null && attempt.request !== null;
      const noted = isRequest ? this.health.heard(receiver, attempt, pausedMs) : null;
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
      await this.requeuer.requeue([trigger], AFTER_BUG_MS, onApart);
    }
  }
}
