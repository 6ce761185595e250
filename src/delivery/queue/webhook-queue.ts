import { Breaker } from './breaker.js';
import type { LeasedTrigger } from './leased-trigger.js';

/** Triggers held for each slot: enough to keep every slot busy while results are stored and triggers claimed. */
export const HELD_PER_SLOT = 8;

/** The triggers of one webhook that this process holds or has reserved places for. Times are monotonic. */
export class WebhookQueue {
  readonly breaker: Breaker;
  readonly waiting: LeasedTrigger[] = [];
  /** Places reserved for triggers that have not arrived yet. */
  reserved = 0;
  sending = 0;
  /** Triggers that were sent and whose results are not stored yet. */
  settling = 0;

  /** @param maxSending how many attempts may be under way at once. */
  constructor(
    readonly webhookId: string,
    readonly userId: string,
    private readonly maxSending: number,
  ) {
    this.breaker = new Breaker(maxSending);
  }

  /** Whether it is empty and nothing has to be remembered about its receiver. */
  get isIdle(): boolean {
    return this.isEmpty && this.breaker.isWell;
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  private get size(): number {
    return this.waiting.length + this.sending + this.settling + this.reserved;
  }

  /**
   * A receiver that has just recovered gets few triggers at first, however many are due; one that is down gets only its
   * probe.
   */
  mayHoldMoreAt(now: number): boolean {
    return this.breaker.isClosed ? this.size < this.mostHeld : this.wantsProbeAt(now);
  }

  /** Whether at least half of its places are free. */
  isHalfEmptyAt(now: number): boolean {
    return this.breaker.isClosed ? this.size <= this.mostHeld / 2 : this.wantsProbeAt(now);
  }

  /** Whether its pause is over but it holds no trigger to send as the probe. */
  wantsProbeAt(now: number): boolean {
    return !this.breaker.isClosed && this.waiting.length + this.reserved === 0 && this.breaker.admitsAt(now);
  }

  isPausedAt(now: number): boolean {
    return this.breaker.limitAt(now) === 0;
  }

  /** Whether the first trigger that waits may be sent. */
  isReadyAt(now: number): boolean {
    const [first] = this.waiting;
    if (first === undefined || this.sending >= this.maxSending) return false;
    return first.urgent || this.breaker.admitsAt(now);
  }

  add(trigger: LeasedTrigger): void {
    if (trigger.urgent) this.waiting.unshift(trigger);
    else this.waiting.push(trigger);
  }

  /** Removes the triggers that wait: all of them, or only those that were not asked for by hand. */
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
