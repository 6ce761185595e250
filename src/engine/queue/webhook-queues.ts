import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { AttemptTime } from './attempt-time.js';
import type { Verdict } from './breaker.js';
import { CapacityBudget } from './capacity-budget.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { LimitSource } from './limit-source.js';
import { Probes } from './probes.js';
import { QueueLimits } from './queue-limits.js';
import { QueueMap } from './queue-map.js';
import { RoundRobin } from './round-robin.js';
import type { WebhookQueue } from './webhook-queue.js';

/** The limit on the size of all bodies together. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The most triggers whose results are stored late and that take no capacity. The others take theirs until then. */
const MAX_APART = 1000;
const NONE: LeasedTrigger[] = [];

/**
 * The triggers in the memory of this process, in one queue per webhook. The queues are served one after another, and each is
 * bounded, so that no receiver slows another, no user slows the next, and memory does not grow with the backlog.
 *
 * Capacity is reserved ({@link reserve}); the trigger comes and waits ({@link put}), is sent ({@link take}), settles
 * ({@link sent}) and is {@link done}. When a breaker opens, the triggers that wait for its webhook are taken out again.
 */
@Injectable()
export class WebhookQueues {
  readonly budget: CapacityBudget;
  readonly limits: QueueLimits;
  readonly probes: Probes;
  private readonly users: RoundRobin;
  private readonly queues: QueueMap;
  /**
   * The triggers that are here. If one was taken over and has come back, the one with the newer lease. Only their leases are
   * kept: a table that has become old keeps what went through it from being collected young.
   */
  private readonly leases = new Map<string, number>();
  private apart = 0;
  private hasFreedShare = false;

  constructor(
    @Inject(SETTINGS) { delivery }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    limits: LimitSource,
  ) {
    const concurrency = delivery.webhookConcurrency;
    this.budget = new CapacityBudget(delivery.concurrency, new AttemptTime(), MAX_BYTES);
    this.users = new RoundRobin(this.budget);
    this.queues = new QueueMap(concurrency, this.users);
    this.probes = new Probes(this.queues, clock);
    this.limits = new QueueLimits({ concurrency, ratePerSecond: null }, limits, clock, (queue) => {
      if (this.queues.find(queue.webhookId) !== queue) return;
      this.refresh(queue);
      this.queues.leaveIfIdle(queue);
    });
  }

  /** How many more could come. */
  get capacity(): number {
    return this.budget.capacityAt(this.clock.monotonic());
  }

  /** Whether half of this user's share of the capacity is free. */
  hasCapacityFor(userId: string): boolean {
    return this.users.find(userId)?.budget.isFreeAt(this.clock.monotonic(), 0.5) ?? true;
  }

  /** Whether this part, from 0 to 1, of the capacity is free. */
  isFree(part = 0.5): boolean {
    return this.budget.isFreeAt(this.clock.monotonic(), part);
  }

  /** Whether, since the last call, half of the share of a user who had been refused has become free. */
  consumeRoomFreed(): boolean {
    const hasFreed = this.hasFreedShare;
    this.hasFreedShare = false;
    return hasFreed;
  }

  has(triggerId: string): boolean {
    return this.leases.has(triggerId);
  }

  /** Whether at least this part, from 0 to 1, of a webhook's capacity is free; for a paused one, whether it wants a probe. */
  isPartEmpty(webhookId: string, part = 0.5): boolean {
    const queue = this.queues.find(webhookId);
    return !queue || queue.isFreeAt(this.clock.monotonic(), part);
  }

  /** How many triggers of a webhook that were asked for by hand may come. */
  urgentCapacity(webhookId: string): number {
    return this.queues.urgentCapacity(webhookId);
  }

  /**
   * Reserves capacity for a trigger. @returns false if there is none.
   *
   * @param urgent true for a trigger that was asked for by hand: it is sent even if the webhook is paused.
   */
  reserve(webhookId: string, userId: string, urgent = false): boolean {
    const now = this.clock.monotonic();
    const queue = this.queues.of(webhookId, userId);
    if ((urgent ? queue.urgentCapacity > 0 : queue.isFreeAt(now, 0)) && queue.user.admitsAt(now, urgent)) {
      queue.user.budget.promise();
      queue.budget.move(null, 'reserved');
      return true;
    }
    this.queues.leaveIfIdle(queue);
    return false;
  }

  cancel(webhookId: string): void {
    const queue = this.queues.get(webhookId);
    queue.user.budget.redeem();
    queue.budget.move('reserved', null);
    this.freed(queue, this.clock.monotonic());
  }

  /** Lets a trigger wait that has a reservation. @returns false if its receiver is paused by now, or its body does not fit. */
  put(trigger: LeasedTrigger): boolean {
    const now = this.clock.monotonic();
    const queue = this.queues.get(trigger.webhookId);
    const isPaused = !trigger.urgent && queue.isPausedAt(now);
    if (isPaused || !queue.user.budget.load(trigger.notification)) {
      this.cancel(trigger.webhookId);
      return false;
    }
    queue.user.budget.redeem();
    queue.add(trigger);
    this.leases.set(trigger.id, trigger.lease);
    this.refresh(queue, now);
    return true;
  }

  /** The next trigger to send, if there is a slot for one; {@link sent} and {@link done} must follow. */
  take(): LeasedTrigger | undefined {
    const now = this.clock.monotonic();
    for (let id = this.users.next(); id !== undefined; id = this.users.next()) {
      const queue = this.queues.get(id);
      this.limits.learn(queue);
      const trigger = queue.isReadyAt(now) ? queue.begin() : undefined;
      this.users.refresh(queue.user);
      this.refresh(queue, now);
      if (trigger) return trigger;
    }
    return undefined;
  }

  /** Learns whether a webhook has changed; without an id, whether any has of those that wait or are paused. */
  relearn(webhookId?: string): void {
    this.limits.relearn(this.queues.all, webhookId);
  }

  /**
   * Frees the slot of a trigger that was taken; it takes capacity until its result is stored.
   *
   * @param pauseMs for how long the receiver asked to be left alone; 0 if it did not.
   * @returns the triggers that have to be requeued because the receiver is paused now.
   */
  sent(trigger: LeasedTrigger, verdict: Verdict, pauseMs = 0): LeasedTrigger[] {
    const queue = this.queues.get(trigger.webhookId);
    const now = this.clock.monotonic();
    const hasOpened = queue.end(trigger, verdict, now, pauseMs);
    this.budget.time.count(now);
    this.users.refresh(queue.user);
    if (hasOpened) return this.letGo(queue, queue.takeLast(Number.POSITIVE_INFINITY), now);
    this.refresh(queue, now);
    return NONE;
  }

  /** Forgets a trigger that was sent, and frees the capacity that it still takes. */
  done(trigger: LeasedTrigger): void {
    if (trigger.isApart) this.apart--;
    else this.settled(trigger);
    this.forget(trigger);
  }

  /** Frees the capacity of a trigger whose result is stored late; it is still here. @returns false if it keeps it. */
  setApart(trigger: LeasedTrigger): boolean {
    if (trigger.isApart || this.apart >= MAX_APART) return false;
    trigger.isApart = true;
    this.apart++;
    this.settled(trigger);
    return true;
  }

  /** Takes out all triggers that wait, of one webhook or of all. */
  drain(webhookId?: string): LeasedTrigger[] {
    const queues = webhookId === undefined ? this.queues.all : [this.queues.find(webhookId)];
    const now = this.clock.monotonic();
    return queues.flatMap((queue) => (queue ? this.letGo(queue, queue.takeAll(), now) : []));
  }

  /**
   * Takes out the triggers that wait and will not start soon: because of the webhook's own receiver, or else because other
   * queues have the slots of their user or of the process.
   */
  takeOutLate(): { webhookId: string; userId: string; triggers: LeasedTrigger[] }[] {
    const now = this.clock.monotonic();
    const own = (queue: WebhookQueue) => queue.lateAt(now);
    const shared = ({ user }: WebhookQueue) => Math.max(user.budget.lateAt(now), this.budget.lateAt(now));
    const waiting = this.queues.all.filter((queue) => queue.waiting.length > 0);
    const taken = [own, shared].flatMap((lateOf) =>
      waiting.map((queue) => ({
        webhookId: queue.webhookId,
        userId: queue.user.userId,
        triggers: this.letGo(queue, queue.takeLast(lateOf(queue)), now),
      })),
    );
    return taken.filter(({ triggers }) => triggers.length > 0);
  }

  /** Frees the capacity of triggers that were taken out. */
  private letGo(queue: WebhookQueue, triggers: LeasedTrigger[], now: number): LeasedTrigger[] {
    for (const trigger of triggers) {
      this.forget(trigger);
      this.budget.unload(trigger.notification);
    }
    this.freed(queue, now);
    return triggers;
  }

  private settled(trigger: LeasedTrigger): void {
    const queue = this.queues.get(trigger.webhookId);
    queue.budget.move('settling', null);
    this.budget.unload(trigger.notification);
    this.freed(queue, this.clock.monotonic());
  }

  /** Notes what follows once a webhook takes less capacity. */
  private freed(queue: WebhookQueue, now: number): void {
    this.refresh(queue, now);
    if (queue.user.hasFreedAt(now)) this.hasFreedShare = true;
    this.queues.leaveIfIdle(queue);
  }

  /** The same trigger may be here twice: others took it over while its result could not be stored, and it was claimed again. */
  private forget({ id, lease }: LeasedTrigger): void {
    if (this.leases.get(id) === lease) this.leases.delete(id);
  }

  private refresh(queue: WebhookQueue, now = this.clock.monotonic()): void {
    this.budget.time.use(this.budget.sending, now);
    queue.reckonAt(now);
    queue.awaitStart(now);
    this.users.setReady(queue, queue.isReadyAt(now));
  }
}
