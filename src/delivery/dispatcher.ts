import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { failpoint } from '../common/failpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { Instance } from './instance.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { QueueRepository, type Release } from './queue.repository.js';
import { Sender } from './sender.js';
import { Settlement } from './settlement.js';
import { type Target, Targets } from './targets.js';
import { WebhookHealth } from './webhook-health.js';
import { WebhookQueues } from './webhook-queues.js';

/** How long what other processes made due may lie unseen. */
const POLL_MS = 1000;
const CLAIM_AT_ONCE = 500;
/** Enough waiting behind each attempt under way that its slot is never idle. */
const HELD_PER_SLOT = 4;
const SHUTDOWN_MS = 30_000;
/** Before a trigger is tried again that failed for a reason of ours: what is wrong may stay so for long. */
const AFTER_BUG_MS = 10_000;

/** Sends what is due: claims it, or takes it from the intake, and runs attempts up to the limits. */
@Injectable()
export class Dispatcher {
  private readonly logger = new Logger('Delivery');
  private readonly queues: WebhookQueues;
  private readonly concurrency: number;
  private readonly unsubscribe: () => void;
  private active = 0;
  private running = false;
  private claiming = false;
  private claimAgain = false;
  /** Webhooks that may have more due than they could hold here at the last claim. */
  private crowded = new Set<string>();
  private cancelTimer = () => {};
  private nextLookAt = Number.POSITIVE_INFINITY;
  private onIdle = () => {};

  constructor(
    private readonly queue: QueueRepository,
    private readonly instance: Instance,
    private readonly targets: Targets,
    private readonly sender: Sender,
    private readonly settlement: Settlement,
    private readonly health: WebhookHealth,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
    signals: QueueSignals,
  ) {
    const { concurrency, webhookConcurrency } = settings.delivery;
    this.concurrency = concurrency;
    this.queues = new WebhookQueues({
      activePerWebhook: webhookConcurrency,
      heldPerWebhook: webhookConcurrency * HELD_PER_SLOT,
      held: concurrency * HELD_PER_SLOT,
    });
    this.unsubscribe = signals.subscribe({
      onDue: () => void this.claim(),
      onWebhookChanged: (webhookId) => void this.reconsiderWaiting(webhookId),
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  /** Attempts under way. */
  get inFlight(): number {
    return this.active;
  }

  /** Triggers leased to this process. */
  get held(): number {
    return this.queues.held;
  }

  start(): void {
    this.running = true;
    void this.claim();
  }

  /** Takes nothing more, waits for what is under way (at most 30 s), and gives the rest back. */
  async stop(): Promise<void> {
    this.running = false;
    this.cancelTimer();
    this.unsubscribe();
    const idle = new Promise<void>((resolve) => {
      this.onIdle = resolve;
      if (this.active === 0) resolve();
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

  /** Promises to send a trigger of this webhook at once. @returns false where there is no room for it. */
  reserve(webhookId: string): boolean {
    return this.running && this.queues.reserve(webhookId);
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
    while (this.running && this.active < this.concurrency) {
      const trigger = this.queues.take();
      if (!trigger) break;
      this.active++;
      void this.run(trigger);
    }
  }

  private async run(trigger: LeasedTrigger): Promise<void> {
    try {
      await this.deliver(trigger);
    } catch (error) {
      this.logger.error(
        error as Error,
        `Trigger ${trigger.id} could not be delivered; it will be tried again.`,
      );
      await this.giveBack([trigger], 'PENDING', AFTER_BUG_MS);
    }
    this.active--;
    this.queues.done(trigger);
    if (this.running) {
      this.pump();
      if (this.claimAgain || this.hasRoomAgain(trigger.webhookId)) void this.claim();
    } else if (this.active === 0) this.onIdle();
  }

  private async deliver(trigger: LeasedTrigger): Promise<void> {
    const target = await this.targets.get(trigger.webhookId);
    if (!isWanted(trigger, target)) {
      return this.queue.release([trigger], { status: 'CANCELLED', at: this.clock.now() });
    }
    failpoint('send-before');
    const attempt = await this.sender.attempt(trigger, target);
    failpoint('send-after');
    const { judgement, nextAttemptAt } = await this.settlement.settle(trigger, attempt);
    if (nextAttemptAt !== null) this.lookAgainAt(nextAttemptAt);
    await this.health.note(target, judgement);
  }

  private async claim(): Promise<void> {
    if (!this.running) return;
    this.claimAgain = true;
    if (this.claiming) return;
    this.claiming = true;
    this.cancelTimer();
    let wait = POLL_MS;
    let now = this.clock.now();
    try {
      while (this.claimAgain && this.running && this.hasRoom()) {
        this.claimAgain = false;
        now = this.clock.now();
        if (await this.claimOnce(now)) this.claimAgain = true;
      }
      // What was due by then is claimed, or waits until its webhook has room.
      const next = this.claimAgain ? null : await this.queue.nextDueAfter(now);
      if (next !== null) wait = Math.min(POLL_MS, Math.max(1, next - this.clock.now()));
    } catch (error) {
      this.logger.error(`Nothing claimed: ${(error as Error).message}`);
    }
    this.claiming = false;
    this.nextLookAt = Number.POSITIVE_INFINITY;
    this.lookAgainAt(this.clock.now() + wait);
  }

  private lookAgainAt(time: number): void {
    if (!this.running || this.claiming || time >= this.nextLookAt) return;
    this.cancelTimer();
    this.nextLookAt = time;
    this.cancelTimer = this.clock.after(Math.max(1, time - this.clock.now()), () => void this.claim());
  }

  /** @returns whether more may be due. */
  private async claimOnce(now: number): Promise<boolean> {
    const room = Math.min(CLAIM_AT_ONCE, this.concurrency * HELD_PER_SLOT - this.queues.held);
    const full = this.queues.full();
    this.crowded = new Set(full);
    const claimed = await this.queue.claimDue(this.instance.id, now, room, full);
    if (claimed.length > 0) failpoint('claim-committed');
    const over = claimed.filter((trigger) => {
      if (this.queues.reserve(trigger.webhookId)) {
        this.queues.put(trigger);
        return false;
      }
      this.crowded.add(trigger.webhookId);
      return true;
    });
    // One webhook had more due than it may hold here: others, or a later look, take the rest.
    if (over.length > 0) await this.queue.release(over, { status: 'PENDING', at: this.clock.now() });
    this.pump();
    return claimed.length === room;
  }

  /** By what could be sent, not by what is held: what waits for a receiver that hangs must not stop the rest. */
  private hasRoom(): boolean {
    const most = this.concurrency * HELD_PER_SLOT;
    return this.queues.held < most && this.queues.sendable < most / 2;
  }

  private hasRoomAgain(webhookId: string): boolean {
    return this.crowded.has(webhookId) && this.queues.isHalfEmpty(webhookId);
  }

  /** What waits and is not wanted any more is cancelled at once; the rest is claimed again, for the webhook as it is now. */
  private async reconsiderWaiting(webhookId: string): Promise<void> {
    const waiting = this.queues.drain(webhookId);
    // What cannot be told now, because the database is away, is told when it is claimed again.
    const target = await Promise.resolve(this.targets.get(webhookId)).catch(() => undefined);
    const { wanted = [], unwanted = [] } = Object.groupBy(waiting, (trigger) =>
      target === undefined || isWanted(trigger, target) ? 'wanted' : 'unwanted',
    );
    await Promise.all([this.giveBack(unwanted, 'CANCELLED'), this.giveBack(wanted)]);
    await this.claim();
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
        await new Promise<void>((resolve) => this.clock.after(POLL_MS, resolve));
      }
    }
  }
}

/** Only while its webhook is enabled, and its event, which a test has none of. */
const isWanted = ({ eventId }: LeasedTrigger, target: Target | null): target is Target =>
  target !== null && (eventId === null || target.eventIds.has(eventId));
