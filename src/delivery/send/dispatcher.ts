import { Inject, Injectable, Logger } from '@nestjs/common';
import { Alarm } from '../../common/alarm.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { withoutStatement } from '../../common/database-error.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import type { Verdict } from '../queue/breaker.js';
import { DueScan } from '../queue/due-scan.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { DeliveryEvents } from '../report/delivery-events.js';
import { hasAnswered } from '../settle/judgement.js';
import { LeaseReturns } from '../settle/lease-returns.js';
import { Settlement } from '../settle/settlement.js';
import { WebhookHealth } from '../settle/webhook-health.js';
import { isWanted, Receivers } from './receivers.js';
import { Sender, type Sent } from './sender.js';

/** Leaves 9 s of the 30 s that a shutdown may take: calls take up to 4.5 s more where the database is silent. */
const SHUTDOWN_MS = 21_000;
/** Before a trigger is tried again that failed for a reason of ours: what is wrong may stay so for long. */
const AFTER_BUG_MS = 10_000;
/** Attempts started at a stretch: more would hold up everything else in the process. */
const STARTS_PER_TURN = 16;
/** The same where that is an application, and the pause before the next, in milliseconds. */
const GENTLE_STARTS = 2;
const GENTLE_PAUSE_MS = 1;

/** What became of a trigger that was taken: null where it is not wanted any more, an error where the database is away. */
type Outcome = Sent | { error: unknown } | null;

/** Sends what is leased to this process, up to the limits, and settles it. */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Delivery');
  private readonly gentle: boolean;
  private readonly startsPerTurn: number;
  private readonly unsubscribe: () => void;
  /** Rings when the pause of a webhook is over. */
  private readonly alarm: Alarm;
  private running = false;
  /** Triggers, or lots of them, that are being sent, settled or given back. */
  private busy = 0;
  private onIdle = () => {};
  /** Attempts that this turn of the event loop may still start. */
  private startable = 0;
  private turning = false;

  constructor(
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly receivers: Receivers,
    private readonly sender: Sender,
    private readonly settlement: Settlement,
    private readonly returns: LeaseReturns,
    private readonly health: WebhookHealth,
    private readonly events: DeliveryEvents,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.gentle = settings.delivery.gentle;
    this.startsPerTurn = this.gentle ? GENTLE_STARTS : STARTS_PER_TURN;
    this.startable = this.startsPerTurn;
    this.unsubscribe = signals.subscribe({
      webhookChanged: (webhookId) => void this.reconsiderWaiting(webhookId),
    });
    this.alarm = new Alarm(clock, () => this.probe());
  }

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    this.running = true;
  }

  /** Takes nothing more, waits for what is under way (at most {@link SHUTDOWN_MS}), and gives the rest back. */
  async stop(): Promise<void> {
    this.running = false;
    this.unsubscribe();
    this.alarm.cancel();
    void this.giveBack(this.queues.drain());
    const idle = new Promise<void>((resolve) => {
      this.onIdle = resolve;
      if (this.busy === 0) resolve();
    });
    const timeIsUp = new Promise<void>((resolve) => this.clock.after(SHUTDOWN_MS, resolve));
    await Promise.race([idle, timeIsUp]);
    this.returns.stop();
  }

  /** Drops what waits: another instance has taken the leases over. */
  abandonWaiting(): void {
    this.queues.drain();
  }

  /**
   * Promises to send a fresh trigger of this webhook at once; a test goes out although the webhook is paused.
   *
   * @returns false where there is no room for it.
   */
  reserve(webhookId: string, userId: string, isTest = false): boolean {
    if (!this.running) return false;
    // Half of the room is for what has waited longer: otherwise each place that is freed would go to something fresh.
    const hasOtherHalf = isTest || (this.queues.isHalfFree && this.queues.isHalfEmpty(webhookId));
    if (!hasOtherHalf && this.scan.isBehind(webhookId)) return false;
    return this.queues.reserve(webhookId, userId, isTest);
  }

  unreserve(webhookIds: string[]): void {
    for (const webhookId of webhookIds) this.queues.unreserve(webhookId);
  }

  /** Takes the triggers for which room was reserved; they are leased to this instance. */
  offer(triggers: LeasedTrigger[]): void {
    const refused = triggers.filter((trigger) => !this.queues.put(trigger));
    if (refused.length > 0) void this.giveBack(refused);
    if (this.running) this.pump();
    else void this.giveBack(this.queues.drain());
  }

  private pump(): void {
    for (; this.running && this.startable > 0; this.startable--) {
      const trigger = this.queues.take();
      if (!trigger) return;
      this.busy++;
      void this.run(trigger);
      this.turnLater();
    }
  }

  /** Counts the attempts that each turn of the event loop may start anew. */
  private turnLater(): void {
    if (this.turning) return;
    this.turning = true;
    const turn = () => {
      this.turning = false;
      this.startable = this.startsPerTurn;
      this.pump();
    };
    if (this.gentle) setTimeout(turn, GENTLE_PAUSE_MS);
    else setImmediate(turn);
  }

  private async run(trigger: LeasedTrigger): Promise<void> {
    const outcome: Outcome = await this.sender.send(trigger).catch((error: unknown) => ({ error }));
    // The slot is free as soon as the receiver has answered; storing the result may take its time.
    this.freeSlot(trigger, verdictOf(outcome));
    this.pump();
    await this.finish(trigger, outcome);
    this.queues.done(trigger);
    this.signals.emit('room', trigger.webhookId);
    this.ended();
  }

  /** A receiver that is down is left alone for a while, and what waits for it takes up no room meanwhile. */
  private freeSlot(trigger: LeasedTrigger, verdict: Verdict): void {
    const rest = this.queues.sent(trigger, verdict);
    if (rest.length > 0) void this.giveBack(rest);
    const probeAt = verdict === 'down' ? this.queues.probeAt(trigger.webhookId) : null;
    if (probeAt !== null && this.running) this.alarm.ringBy(probeAt);
  }

  private async finish(trigger: LeasedTrigger, outcome: Outcome): Promise<void> {
    if (outcome === null) return this.returns.cancelled([trigger]);
    try {
      if ('error' in outcome) throw outcome.error;
      const { receiver, attempt } = outcome;
      // What never became a request says nothing about the webhook.
      const isRequest = receiver.fault === null && attempt.request !== null;
      if (isRequest) await this.health.heard(receiver, attempt);
      const settled = await this.settlement.settle(trigger, attempt);
      if (settled.nextAttemptAt !== null) this.signals.emit('due', settled.nextAttemptAt);
      this.events.attempted(trigger, receiver.userId, settled);
      if (isRequest) await this.health.note(receiver, attempt, settled.judgement);
    } catch (error) {
      this.logger.error(
        withoutStatement(error) as Error,
        `Trigger ${trigger.id} could not be delivered; it will be tried again.`,
      );
      await this.returns.pending([trigger], AFTER_BUG_MS);
    }
  }

  /** Pauses are over: whoever brings triggers may bring each of these webhooks one. */
  private probe(): void {
    for (const webhookId of this.queues.wantProbes()) this.signals.emit('room', webhookId);
    const next = this.queues.nextProbeAt();
    if (next !== null && this.running) this.alarm.ringBy(next);
  }

  /** What waits and is not wanted any more is cancelled at once; the rest is claimed again, for the webhook as it is now. */
  private async reconsiderWaiting(webhookId: string): Promise<void> {
    const waiting = this.queues.drain(webhookId);
    if (waiting.length === 0) return;
    // What cannot be told now, because the database is away, is told when it is claimed again.
    const receiver = await Promise.resolve(this.receivers.get(webhookId)).catch(() => undefined);
    const { wanted = [], unwanted = [] } = Object.groupBy(waiting, (trigger) =>
      receiver === undefined || isWanted(trigger, receiver) ? 'wanted' : 'unwanted',
    );
    await Promise.all([this.returns.cancelled(unwanted), this.giveBack(wanted)]);
  }

  /** For anybody to claim; a shutdown waits for it. */
  private async giveBack(triggers: LeasedTrigger[]): Promise<void> {
    if (triggers.length === 0) return;
    this.busy++;
    const dueAt = await this.returns.pending(triggers);
    this.signals.emit('due', dueAt);
    this.ended();
  }

  private ended(): void {
    this.busy--;
    if (!this.running && this.busy === 0) this.onIdle();
  }
}

/** What never became a request says nothing about the receiver. */
function verdictOf(outcome: Outcome): Verdict {
  if (outcome === null || 'error' in outcome || outcome.attempt.request === null) return null;
  return hasAnswered(outcome.attempt.exchange) ? 'up' : 'down';
}
