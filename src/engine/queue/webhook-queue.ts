import { Breaker, type Verdict } from './breaker.js';
import type { LeasedTrigger } from './leased-trigger.js';
import type { RateGate } from './rate-gate.js';
import type { Turnover } from './turnover.js';

/** The triggers of one webhook that this process holds or has reserved places for. Times are monotonic. */
export class WebhookQueue {
  readonly breaker: Breaker;
  readonly waiting: LeasedTrigger[] = [];
  /** Places reserved for triggers that have not arrived yet. */
  reserved = 0;
  sending = 0;
  /** Triggers that were sent and whose results are not stored yet. */
  settling = 0;
  /** Whether its limits are being read. Nothing is sent until they are known. */
  isAsking = false;
  /** Whether they could not be read just now. */
  isLetThrough = false;
  /** When they were last asked for. */
  learnedAt = 0;
  /** Null until it is known. */
  private generation: number | null = null;
  /** Null where there is no limit on the rate. */
  private gate: RateGate | null = null;

  /**
   * @param maxSending how many attempts may be under way at once.
   * @param turnover of this webhook's slots.
   */
  constructor(
    readonly webhookId: string,
    readonly userId: string,
    public maxSending: number,
    readonly turnover: Turnover,
  ) {
    this.breaker = new Breaker(maxSending);
  }

  /** Sets how many attempts may be under way at once. Those that are go on. */
  limitTo(maxSending: number): void {
    this.maxSending = maxSending;
    this.breaker.limitTo(maxSending);
    this.turnover.limitTo(maxSending);
  }

  /** A new one, after another, forgets how the receiver was: it is another receiver, or is to be tried again. */
  setGeneration(generation: number): void {
    if (this.generation !== null && this.generation !== generation) this.breaker.reset();
    this.generation = generation;
  }

  /** The most attempts a second; null for no limit. */
  get ratePerSecond(): number | null {
    return this.gate?.perSecond ?? null;
  }

  setGate(gate: RateGate | null): void {
    this.gate?.close();
    this.gate = gate;
  }

  /**
   * While triggers wait and slots are free for them, sees to it that their next start time is known and noticed. Starts
   * that could not be used would be taken from other processes.
   */
  awaitStart(now: number): void {
    if (this.gate === null) return;
    const free = Math.min(this.maxSending, Math.max(1, this.breaker.limitAt(now))) - this.sending;
    const count = Math.min(free, this.waiting.length);
    if (count > 0) this.gate.await(count, now);
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
    return this.isFreeAt(now, 0);
  }

  /** Whether this part, from 0 to 1, of its places for triggers that wait is free, and one at least. */
  isFreeAt(now: number, part: number): boolean {
    if (!this.breaker.isClosed) return this.wantsProbeAt(now);
    const paced = this.gate === null ? Number.POSITIVE_INFINITY : Math.max(1, this.gate.soon * (1 - part));
    if (this.waiting.length + this.reserved >= paced) return false;
    return this.turnover.isFreeAt(now, this.size, this.settling, part, this.breaker.limitAt(now));
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
    if (first === undefined || this.isAsking || this.sending >= this.maxSending) return false;
    if (!first.urgent && !this.breaker.admitsAt(now)) return false;
    return this.gate === null || this.gate.mayStartAt(now);
  }

  add(trigger: LeasedTrigger): void {
    if (trigger.urgent) this.waiting.unshift(trigger);
    else this.waiting.push(trigger);
  }

  /** Begins to send the first trigger that waits. While the breaker is open, that is its probe. */
  begin(): LeasedTrigger {
    const trigger = this.waiting.shift() as LeasedTrigger;
    this.gate?.start();
    if (!this.breaker.isClosed && trigger.cause === 'schedule') trigger.cause = 'probe';
    this.sending++;
    trigger.breakerEpoch = this.breaker.begin();
    return trigger;
  }

  /** Ends it, but keeps its place. @returns whether the breaker opened. */
  end(trigger: LeasedTrigger, verdict: Verdict, now: number, pauseMs: number): boolean {
    this.reckonAt(now);
    this.turnover.count();
    this.sending--;
    this.settling++;
    return this.breaker.end(trigger.breakerEpoch, verdict, now, pauseMs);
  }

  /** How many of the triggers that wait will not start soon. A probe is none of them. */
  lateAt(now: number): number {
    if (!this.breaker.isClosed) return 0;
    const waiting = this.waiting.length;
    const soon = this.gate === null ? Number.POSITIVE_INFINITY : this.gate.soon;
    const paced = waiting > 2 * soon ? waiting - Math.floor(soon) : 0;
    return Math.max(paced, this.turnover.lateAt(now, waiting, this.sending, this.breaker.limitAt(now)));
  }

  /** Tells its turnover how many slots are in use. While triggers wait, that is all it may use, whoever holds them up. */
  reckonAt(now: number): void {
    const all = this.waiting.length > 0 ? this.breaker.limitAt(now) : 0;
    this.turnover.use(Math.max(this.sending, all), now);
  }

  /** Removes the triggers that wait: all of them, or only those that were not asked for by hand. */
  takeOut(withUrgent: boolean): LeasedTrigger[] {
    return withUrgent ? this.waiting.splice(0) : this.takeLast(this.waiting.length);
  }

  /** Removes the last triggers that wait, except those that were asked for by hand, which come first. */
  takeLast(count: number): LeasedTrigger[] {
    const urgent = this.waiting.filter((trigger) => trigger.urgent).length;
    return this.waiting.splice(Math.max(urgent, this.waiting.length - count));
  }
}
