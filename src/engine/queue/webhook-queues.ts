import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import type { Verdict } from './breaker.js';
import { HeldTriggers } from './held-triggers.js';
import { countLate, type LateTriggers } from './late-triggers.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { QueueLimits } from './queue-limits.js';
import { QueueMap } from './queue-map.js';
import { TroubledQueues } from './troubled-queues.js';
import { UserRoom } from './user-room.js';
import { UserShares } from './user-shares.js';
import type { WebhookQueue } from './webhook-queue.js';

/** The limit on the size of all bodies together. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const NONE: LeasedTrigger[] = [];

/**
 * The triggers that this process holds, in one queue per webhook. The queues are served in turn, each within its own
 * limit, so that no receiver slows another and no user slows the next. Each queue and all of them together are bounded,
 * so that memory does not grow with the backlog.
 *
 * A place is reserved and filled ({@link put}); its trigger waits, is sent ({@link take}), settles ({@link sent}) and
 * is {@link done}. When a breaker opens, the triggers that wait for its webhook are taken out again: nothing waits here
 * for a pause to end, so nothing has to be woken.
 */
@Injectable()
export class WebhookQueues {
  private readonly queues: QueueMap;
  private readonly troubled = new TroubledQueues();
  private readonly here = new HeldTriggers();
  private readonly shares: UserShares;
  private readonly space: UserRoom;
  readonly limits: QueueLimits;

  constructor(
    @Inject(SETTINGS) { delivery }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const { webhookConcurrency: concurrency } = delivery;
    this.limits = new QueueLimits({ concurrency, ratePerSecond: null }, clock, (queue) => {
      this.troubled.heard(queue);
      if (this.queues.has(queue)) this.refresh(queue);
    });
    this.queues = new QueueMap(concurrency, this.limits);
    this.shares = new UserShares(delivery.concurrency);
    this.space = new UserRoom(delivery.concurrency, MAX_HELD_BYTES, clock);
  }

  get held(): number {
    return this.space.taken;
  }

  get heldBytes(): number {
    return this.space.bytes;
  }

  get sending(): number {
    return this.shares.sending;
  }

  /** How many more could be held. */
  get room(): number {
    return this.space.left;
  }

  /** Whether half of this user's share of the room is free. */
  hasRoomFor(userId: string): boolean {
    return this.space.hasRoomFor(userId);
  }

  /** Whether it is worth asking the database for more. */
  get hasPlentyOfRoom(): boolean {
    return this.space.hasPlenty;
  }

  get isHalfFree(): boolean {
    return this.space.isFree(0.5);
  }

  /** Whether, since the last call, half of the room of a user who had been refused has become free. */
  consumeRoomFreed(): boolean {
    return this.space.consumeFreed();
  }

  /** Whether this trigger is held. */
  has(triggerId: string): boolean {
    return this.here.has(triggerId);
  }

  /** Whether at least half of a webhook's places are free; for a paused one, whether it wants a probe. */
  isHalfEmpty(webhookId: string): boolean {
    return this.isPartEmpty(webhookId, 0.5);
  }

  /** The same for another part of its places, from 0 to 1. */
  isPartEmpty(webhookId: string, part: number): boolean {
    const queue = this.queues.find(webhookId);
    return !queue || queue.isFreeAt(this.clock.monotonic(), part);
  }

  /**
   * Reserves a place for a trigger.
   *
   * @param urgent true for a trigger that is sent even if the webhook is paused or full.
   * @returns false if there is no place.
   */
  reserve(webhookId: string, userId: string, urgent = false): boolean {
    const queue = this.queues.of(webhookId, userId);
    // Counts for the user that the queue was made for, who may differ from `userId`.
    const taken =
      (urgent || queue.mayHoldMoreAt(this.clock.monotonic())) && this.space.reserve(queue.userId, urgent);
    if (taken) queue.reserved++;
    else this.queues.forgetIfIdle(queue);
    return taken;
  }

  unreserve(webhookId: string): void {
    const queue = this.queues.get(webhookId);
    queue.reserved--;
    this.space.cancel(queue.userId);
    this.refresh(queue);
    this.queues.forgetIfIdle(queue);
  }

  /**
   * Puts a trigger in the place reserved for it.
   *
   * @returns false if it has to be given back: its receiver is paused by now, or its body is larger than expected.
   */
  put(trigger: LeasedTrigger): boolean {
    const queue = this.queues.get(trigger.webhookId);
    if (!trigger.urgent && queue.isPausedAt(this.clock.monotonic())) {
      this.unreserve(trigger.webhookId);
      return false;
    }
    queue.reserved--;
    const notification = this.space.fill(queue.userId, trigger.notification);
    if (notification === null) {
      this.queues.forgetIfIdle(queue);
      return false;
    }
    trigger.notification = notification;
    queue.add(trigger);
    this.here.add(trigger);
    this.refresh(queue);
    return true;
  }

  /** The next trigger to send, if there is a slot for one; {@link sent} and {@link done} must follow. */
  take(): LeasedTrigger | undefined {
    const now = this.clock.monotonic();
    for (let id = this.shares.next(); id !== undefined; id = this.shares.next()) {
      const queue = this.queues.get(id);
      this.limits.learn(queue);
      if (!queue.isReadyAt(now)) {
        this.shares.sent(queue.userId);
        this.refresh(queue, now);
        continue;
      }
      const trigger = queue.begin();
      this.space.began(queue.userId, now);
      this.refresh(queue, now);
      return trigger;
    }
    return undefined;
  }

  /** Looks whether a webhook has changed; without an id, whether any has of those that wait or are paused. */
  relearn(webhookId?: string): void {
    this.limits.relearn(this.queues.all, webhookId);
  }

  /**
   * Frees the slot of a trigger that was taken; its place is kept until its result is stored.
   *
   * @param pauseMs for how long the receiver asked to be left alone; 0 if it did not.
   * @returns the triggers that have to be given back because the receiver is paused now.
   */
  sent(trigger: LeasedTrigger, verdict: Verdict, pauseMs = 0): LeasedTrigger[] {
    const queue = this.queues.get(trigger.webhookId);
    const now = this.clock.monotonic();
    const opened = queue.end(trigger, verdict, now, pauseMs);
    this.shares.sent(queue.userId);
    this.space.ended(queue.userId, now);
    if (!queue.breaker.isWell || verdict === 'up') this.troubled.heard(queue);
    return this.letGo(queue, opened ? queue.takeOut(false) : NONE, now);
  }

  /** Forgets a trigger that was sent, and gives back its place if it still has one. */
  done(trigger: LeasedTrigger): void {
    if (!this.here.isApart(trigger)) this.settled(trigger);
    this.here.remove(trigger);
  }

  /** Gives back the place of a trigger whose result is stored late; it is still held. @returns false if it keeps its place. */
  setApart(trigger: LeasedTrigger): boolean {
    const isApart = this.here.setApart(trigger);
    if (isApart) this.settled(trigger);
    return isApart;
  }

  /** Takes out all triggers that wait, of one webhook or of all. */
  drain(webhookId?: string): LeasedTrigger[] {
    const queues = webhookId === undefined ? this.queues.all : [this.queues.find(webhookId)];
    const now = this.clock.monotonic();
    return queues.flatMap((queue) => (queue ? this.letGo(queue, queue.takeOut(true), now) : []));
  }

  /** Takes out the triggers that wait and will not start soon. */
  takeOutLate(): LateTriggers[] {
    const now = this.clock.monotonic();
    return countLate(this.queues.all, this.space, now).map(([queue, count]) => {
      const { webhookId, userId } = queue;
      return { webhookId, userId, triggers: this.letGo(queue, queue.takeLast(count), now) };
    });
  }

  /** Webhooks whose pause is over and that may have a probe. Forgets receivers that were in trouble long ago. */
  wantProbes(): string[] {
    const now = this.clock.monotonic();
    for (const queue of this.troubled.forgetAt(now)) this.queues.forget(queue);
    return this.troubled.wantProbesAt(now).map(({ webhookId }) => webhookId);
  }

  /** When this webhook's pause is over, on the monotonic clock: the time for {@link wantProbes}. Null if it is not paused. */
  probeAt(webhookId: string): number | null {
    const queue = this.queues.find(webhookId);
    return !queue || queue.breaker.isClosed ? null : queue.breaker.pauseEnd;
  }

  /** When to call {@link wantProbes} again, on the monotonic clock; null if no receiver is in trouble. */
  nextProbeAt(): number | null {
    return this.troubled.nextAt(this.clock.monotonic());
  }

  /** Frees the places of triggers that were taken out. */
  private letGo(queue: WebhookQueue, triggers: LeasedTrigger[], now: number): LeasedTrigger[] {
    for (const trigger of triggers) {
      this.here.remove(trigger);
      this.space.free(queue.userId, trigger.notification, false);
    }
    this.refresh(queue, now);
    this.queues.forgetIfIdle(queue);
    return triggers;
  }

  private settled(trigger: LeasedTrigger): void {
    const queue = this.queues.get(trigger.webhookId);
    queue.settling--;
    this.space.free(queue.userId, trigger.notification, true);
    this.queues.forgetIfIdle(queue);
  }

  private refresh(queue: WebhookQueue, now = this.clock.monotonic()): void {
    queue.reckonAt(now);
    queue.awaitStart(now);
    this.shares.setReady(queue.userId, queue.webhookId, queue.isReadyAt(now));
  }
}
