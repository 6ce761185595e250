import { Breaker } from './breaker.js';
import type { LeasedTrigger } from './leased-trigger.js';

/** Enough behind each attempt under way that no slot is idle while results are stored and triggers claimed. */
export const HELD_PER_SLOT = 8;

/** The triggers that this process holds of one webhook, or has promised to. Times are of the monotonic clock. */
export class WebhookQueue {
  readonly breaker: Breaker;
  readonly waiting: LeasedTrigger[] = [];
  /** Promised, not here yet. */
  reserved = 0;
  sending = 0;
  /** Sent, and not stored yet. */
  settling = 0;

  /** @param maxSending how many attempts may be under way at once. */
  constructor(
    readonly webhookId: string,
    readonly userId: string,
    private readonly maxSending: number,
  ) {
    this.breaker = new Breaker(maxSending);
  }

  /** Whether nothing of it is here, and nothing has to be remembered of its receiver. */
  get isIdle(): boolean {
    return this.isEmpty && this.breaker.isWell;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  private get size(): number {
    return this.waiting.length + this.sending + this.settling + this.reserved;
  }

  /** A receiver that was down holds few at first, however many of its triggers are due; one that is down, none. */
  mayHoldMoreAt(now: number): boolean {
    return this.breaker.isClosed ? this.size < this.mostHeld : this.wantsProbeAt(now);
  }

  /** Whether it could hold about as many again. */
  isHalfEmptyAt(now: number): boolean {
    return this.breaker.isClosed ? this.size <= this.mostHeld / 2 : this.wantsProbeAt(now);
  }

  /** Whether its pause is over, and nothing is here that could be the probe. */
  wantsProbeAt(now: number): boolean {
    return !this.breaker.isClosed && this.waiting.length + this.reserved === 0 && this.breaker.admitsAt(now);
  }

  isPausedAt(now: number): boolean {
    return this.breaker.limitAt(now) === 0;
  }

  /** Whether the first that waits may be sent. */
  isReadyAt(now: number): boolean {
    const [first] = this.waiting;
    if (first === undefined || this.sending >= this.maxSending) return false;
    return first.urgent || this.breaker.admitsAt(now);
  }

  add(trigger: LeasedTrigger): void {
    if (trigger.urgent) this.waiting.unshift(trigger);
    else this.waiting.push(trigger);
  }

  /** All that wait, or those that were not asked for by hand. */
  takeOut(withUrgent: boolean): LeasedTrigger[] {
    const all = this.waiting.splice(0);
    if (withUrgent) return all;
    for (const trigger of all) if (trigger.urgent) this.waiting.push(trigger);
    return all.filter(({ urgent }) => !urgent);
  }

  private get mostHeld(): number {
    return this.breaker.limitAt(0) * HELD_PER_SLOT;
  }
}
