import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { failpoint } from '../common/failpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { DeliveryEvents } from './delivery-events.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { hasAnswered } from './outcome.js';
import { QueueRepository, type Release } from './queue.repository.js';
import { type Attempt, Sender } from './sender.js';
import { Settlement } from './settlement.js';
import { type Target, Targets } from './targets.js';
import { WebhookHealth } from './webhook-health.js';
import { WebhookQueues } from './webhook-queues.js';

/** Of the 30 s that a shutdown may take. */
const SHUTDOWN_MS = 27_000;
/** Before a lease that could not be given back, because the database is away, is tried again. */
const GIVE_BACK_AGAIN_MS = 1000;
/** Before a trigger is tried again that failed for a reason of ours: what is wrong may stay so for long. */
const AFTER_BUG_MS = 10_000;
/** Attempts started at a stretch: more would hold up everything else in the process. */
const STARTS_PER_TURN = 16;
/** The same where that is an application, and the pause before the next, in milliseconds. */
const GENTLE_STARTS = 2;
const GENTLE_PAUSE_MS = 1;

/** Who brings triggers wants to know when there is room for more, and when the next is due. */
export interface DispatcherListener {
  /** Whether older triggers of this webhook wait for room. */
  isBehind(webhookId: string): boolean;
  onRoom(webhookId: string): void;
  onDueAt(time: number): void;
  /** Triggers were given back that others, already looked at, may stand behind. */
  onReturned(): void;
}

interface Sent {
  target: Target;
  attempt: Attempt;
}

/** Sends what is leased to this process, up to the limits, and settles it. */
@Injectable()
export class Dispatcher {
  listener: DispatcherListener = {
    isBehind: () => false,
    onRoom: () => {},
    onDueAt: () => {},
    onReturned: () => {},
  };
  private readonly logger = new Logger('Delivery');
  private readonly gentle: boolean;
  private readonly startsPerTurn: number;
  private readonly unsubscribe: () => void;
  private running = false;
  /** Triggers that are being sent or settled. */
  private busy = 0;
  private onIdle = () => {};
  /** Attempts that this turn of the event loop may still start. */
  private startable = 0;
  private turning = false;

  constructor(
    private readonly queue: QueueRepository,
    private readonly queues: WebhookQueues,
    private readonly targets: Targets,
    private readonly sender: Sender,
    private readonly settlement: Settlement,
    private readonly health: WebhookHealth,
    private readonly events: DeliveryEvents,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
    signals: QueueSignals,
  ) {
    this.gentle = settings.delivery.gentle;
    this.startsPerTurn = this.gentle ? GENTLE_STARTS : STARTS_PER_TURN;
    this.startable = this.startsPerTurn;
    this.unsubscribe = signals.subscribe({
      onWebhookChanged: (webhookId) => void this.reconsiderWaiting(webhookId),
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  start(): void {
    this.running = true;
  }

  /** Takes nothing more, waits for what is under way (at most 30 s), and gives the rest back. */
  async stop(): Promise<void> {
    this.running = false;
    this.unsubscribe();
    const idle = new Promise<void>((resolve) => {
      this.onIdle = resolve;
      if (this.busy === 0) resolve();
    });
    const timeIsUp = new Promise<void>((resolve) => this.clock.after(SHUTDOWN_MS, resolve));
    await Promise.race([Promise.all([idle, this.giveBack(this.queues.drain())]), timeIsUp]);
  }

  /** Drops what waits: another instance has taken the leases over. */
  abandonWaiting(): void {
    this.queues.drain();
  }

  /** Whether this process knows of a lease that the database says it has. */
  holds(triggerId: string): boolean {
    return this.queues.has(triggerId);
  }

  /** Promises to send a fresh trigger of this webhook at once. @returns false where there is no room for it. */
  reserve(webhookId: string, userId: string): boolean {
    if (!this.running) return false;
    // Half of the room is for what has waited longer: otherwise each place that is freed would go to something fresh.
    const hasOtherHalf = this.queues.hasPlentyOfRoom && this.queues.isHalfEmpty(webhookId);
    if (!hasOtherHalf && this.listener.isBehind(webhookId)) return false;
    return this.queues.reserve(webhookId, userId);
  }

  unreserve(webhookIds: string[]): void {
    for (const webhookId of webhookIds) this.queues.unreserve(webhookId);
  }

  /** Takes the triggers for which room was reserved; they are leased to this instance. */
  offer(triggers: LeasedTrigger[]): void {
    for (const trigger of triggers) this.queues.put(trigger);
    this.pump();
    if (!this.running) void this.giveBack(this.queues.drain());
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
    const sent = await this.send(trigger).catch((error: unknown) => ({ error }));
    // The slot is free as soon as the receiver has answered; storing the result may take its time.
    this.queues.sent(trigger);
    this.pump();
    await this.finish(trigger, sent);
    this.queues.done(trigger);
    this.busy--;
    if (this.running) this.listener.onRoom(trigger.webhookId);
    else if (this.busy === 0) this.onIdle();
  }

  /** @returns null where it is not wanted any more. */
  private async send(trigger: LeasedTrigger): Promise<Sent | null> {
    const target = await this.targets.get(trigger.webhookId);
    if (!isWanted(trigger, target)) return null;
    failpoint('send-before');
    const attempt = await this.sender.attempt(trigger, target);
    failpoint('send-after');
    this.heed(trigger.webhookId, attempt);
    return { target, attempt };
  }

  private async finish(trigger: LeasedTrigger, sent: Sent | { error: unknown } | null): Promise<void> {
    if (sent === null) return this.giveBack([trigger], 'CANCELLED');
    try {
      if ('error' in sent) throw sent.error;
      const { target, attempt } = sent;
      await this.health.heard(target, attempt);
      const settled = await this.settlement.settle(trigger, attempt);
      if (settled.nextAttemptAt !== null) this.listener.onDueAt(settled.nextAttemptAt);
      this.events.attempted(trigger, target.userId, settled);
      await this.health.note(target, attempt, settled.judgement);
    } catch (error) {
      this.logger.error(
        error as Error,
        `Trigger ${trigger.id} could not be delivered; it will be tried again.`,
      );
      await this.giveBack([trigger], 'PENDING', AFTER_BUG_MS);
    }
  }

  /** A receiver that is down is left alone for a while. */
  private heed(webhookId: string, { exchange }: Attempt): void {
    const resumesAt = this.queues.heard(webhookId, hasAnswered(exchange));
    if (resumesAt === null) return;
    this.clock.after(Math.max(1, resumesAt - this.clock.now()), () => {
      this.queues.resume(webhookId);
      this.pump();
    });
  }

  /** What waits and is not wanted any more is cancelled at once; the rest is claimed again, for the webhook as it is now. */
  private async reconsiderWaiting(webhookId: string): Promise<void> {
    const waiting = this.queues.drain(webhookId);
    if (waiting.length === 0) return;
    // What cannot be told now, because the database is away, is told when it is claimed again.
    const target = await Promise.resolve(this.targets.get(webhookId)).catch(() => undefined);
    const { wanted = [], unwanted = [] } = Object.groupBy(waiting, (trigger) =>
      target === undefined || isWanted(trigger, target) ? 'wanted' : 'unwanted',
    );
    await Promise.all([this.giveBack(unwanted, 'CANCELLED'), this.giveBack(wanted)]);
    this.listener.onReturned();
  }

  /** Resolves when the leases are given back, however long the database is away. */
  private async giveBack(
    triggers: LeasedTrigger[],
    status: Release['status'] = 'PENDING',
    inMs = 0,
  ): Promise<void> {
    for (;;) {
      try {
        return await this.queue.release(triggers, { status, at: this.clock.now() + inMs });
      } catch (error) {
        this.logger.error(`${triggers.length} triggers not given back yet: ${(error as Error).message}`);
        await new Promise<void>((resolve) => this.clock.after(GIVE_BACK_AGAIN_MS, resolve));
      }
    }
  }
}

/** Only while its webhook is enabled, and its event, which a test has none of. */
const isWanted = ({ eventId }: LeasedTrigger, target: Target | null): target is Target =>
  target !== null && (eventId === null || target.eventIds.has(eventId));
