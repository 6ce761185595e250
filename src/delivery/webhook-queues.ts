import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Breaker } from './breaker.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { UserShares } from './user-shares.js';

/** Enough behind each attempt under way that no slot is idle while results are stored and triggers claimed. */
const HELD_PER_SLOT = 8;
/** Of bodies, all together. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** How much a body that is claimed counts for the expected size of the next one. */
const LEARNING_RATE = 0.1;

interface Queue {
  readonly userId: string;
  readonly breaker: Breaker;
  waiting: LeasedTrigger[];
  sending: number;
  /** Sent, and not stored yet. */
  settling: number;
  /** Promised, not here yet. */
  reserved: number;
}

const sizeOf = ({ waiting, sending, settling, reserved }: Queue) =>
  waiting.length + sending + settling + reserved;

/**
 * The triggers that this process holds, a queue for each webhook. Served in turn, each up to a limit of its own, so
 * that no receiver slows another, nor one user the next; bounded, each and all together, so that memory does not grow
 * with the backlog.
 */
@Injectable()
export class WebhookQueues {
  private readonly queues = new Map<string, Queue>();
  private readonly ids = new Set<string>();
  private readonly shares: UserShares;
  private readonly sendingPerWebhook: number;
  private readonly maxHeld: number;
  private heldBytes = 0;
  /** Of one body. Before anything is known: the largest that is accepted. */
  private expectedBytes = 1024 * 1024;

  constructor(
    @Inject(SETTINGS) { delivery }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.sendingPerWebhook = delivery.webhookConcurrency;
    this.maxHeld = delivery.concurrency * HELD_PER_SLOT;
    this.shares = new UserShares(delivery.concurrency, this.maxHeld);
  }

  get held(): number {
    return this.shares.held;
  }

  get sending(): number {
    return this.shares.sending;
  }

  /** How many more could be held: by count, and by their bytes, going by the size of the last ones. */
  get room(): number {
    const byBytes = Math.floor((MAX_HELD_BYTES - this.heldBytes) / this.expectedBytes);
    return Math.max(0, Math.min(this.maxHeld - this.held, byBytes));
  }

  /** Whether it is worth asking the database for more. */
  get hasPlentyOfRoom(): boolean {
    return this.held <= this.maxHeld / 2;
  }

  /** Whether this trigger is here. */
  has(triggerId: string): boolean {
    return this.ids.has(triggerId);
  }

  /** Whether a webhook could hold about as many again. */
  isHalfEmpty(webhookId: string): boolean {
    const queue = this.queues.get(webhookId);
    return !queue || sizeOf(queue) <= this.mayHold(queue) / 2;
  }

  /** Takes a place for a trigger to come. @returns false where there is none. */
  reserve(webhookId: string, userId: string): boolean {
    if (this.room === 0) return false;
    const queue = this.queueOf(webhookId, userId);
    const hasRoom = sizeOf(queue) < this.mayHold(queue) && this.shares.hold(userId);
    if (hasRoom) queue.reserved++;
    else this.forgetIfIdle(webhookId, queue);
    return hasRoom;
  }

  unreserve(webhookId: string): void {
    const queue = this.queues.get(webhookId) as Queue;
    queue.reserved--;
    this.letGo(webhookId, queue);
  }

  /** Puts a trigger in the place reserved for it. */
  put(trigger: LeasedTrigger): void {
    const queue = this.queues.get(trigger.webhookId) as Queue;
    queue.reserved--;
    queue.waiting.push(trigger);
    this.ids.add(trigger.id);
    const bytes = trigger.notification.body.length;
    this.heldBytes += bytes;
    this.expectedBytes += (bytes - this.expectedBytes) * LEARNING_RATE;
    this.refresh(trigger.webhookId, queue);
  }

  /** The next trigger to send, where there is a slot for one; {@link sent} and {@link done} must follow. */
  take(): LeasedTrigger | undefined {
    const webhookId = this.shares.next();
    if (webhookId === undefined) return undefined;
    const queue = this.queues.get(webhookId) as Queue;
    const trigger = queue.waiting.shift();
    queue.sending++;
    this.refresh(webhookId, queue);
    return trigger;
  }

  /** Frees the slot of a trigger that was taken; its place is kept until its result is stored. */
  sent({ webhookId }: LeasedTrigger): void {
    const queue = this.queues.get(webhookId) as Queue;
    queue.sending--;
    queue.settling++;
    this.shares.sent(queue.userId);
    this.refresh(webhookId, queue);
  }

  /** Learns whether the receiver answered. @returns when to {@link resume}, where that is to be done. */
  heard(webhookId: string, answered: boolean): number | null {
    const { breaker } = this.queues.get(webhookId) as Queue;
    if (answered) breaker.succeeded();
    else breaker.failed(this.clock.now());
    return breaker.resumesAt;
  }

  /** Looks again at a webhook that was paused. */
  resume(webhookId: string): void {
    const queue = this.queues.get(webhookId);
    if (!queue) return;
    this.refresh(webhookId, queue);
    this.forgetIfIdle(webhookId, queue);
  }

  /** Gives back the place of a trigger that was sent. */
  done({ id, webhookId, notification }: LeasedTrigger): void {
    const queue = this.queues.get(webhookId) as Queue;
    this.ids.delete(id);
    this.heldBytes -= notification.body.length;
    queue.settling--;
    this.letGo(webhookId, queue);
  }

  /** Takes out all that wait, of one webhook or of all. */
  drain(webhookId?: string): LeasedTrigger[] {
    const ids = webhookId === undefined ? [...this.queues.keys()] : [webhookId];
    return ids.flatMap((id) => {
      const queue = this.queues.get(id);
      if (!queue) return [];
      const waiting = queue.waiting.splice(0);
      this.refresh(id, queue);
      for (const trigger of waiting) {
        this.ids.delete(trigger.id);
        this.heldBytes -= trigger.notification.body.length;
        this.shares.letGo(queue.userId);
      }
      this.forgetIfIdle(id, queue);
      return waiting;
    });
  }

  private queueOf(webhookId: string, userId: string): Queue {
    let queue = this.queues.get(webhookId);
    if (!queue) {
      const breaker = new Breaker(this.sendingPerWebhook);
      queue = { userId, breaker, waiting: [], sending: 0, settling: 0, reserved: 0 };
      this.queues.set(webhookId, queue);
    }
    return queue;
  }

  /** A receiver that is down holds few places, however many of its triggers are due. */
  private mayHold({ breaker }: Queue): number {
    return Math.max(1, breaker.limitAt(this.clock.now())) * HELD_PER_SLOT;
  }

  private refresh(webhookId: string, queue: Queue): void {
    const isReady = queue.waiting.length > 0 && queue.sending < queue.breaker.limitAt(this.clock.now());
    this.shares.setReady(queue.userId, webhookId, isReady);
  }

  private letGo(webhookId: string, queue: Queue): void {
    this.shares.letGo(queue.userId);
    this.forgetIfIdle(webhookId, queue);
  }

  /** What is known of a receiver in trouble is kept; it is looked at again when its pause is over. */
  private forgetIfIdle(webhookId: string, queue: Queue): void {
    const isPaused = (queue.breaker.resumesAt ?? 0) > this.clock.now();
    if (sizeOf(queue) === 0 && !isPaused) this.queues.delete(webhookId);
  }
}
