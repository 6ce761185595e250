import { AttemptTime } from './attempt-time.js';
import { Breaker, type Verdict } from './breaker.js';
import { CapacityBudget } from './capacity-budget.js';
import type { LeasedTrigger } from './leased-trigger.js';
import type { RateGate } from './rate-gate.js';
import type { UserShare } from './user-share.js';

/** How many triggers that were asked for by hand may wait for each slot. */
export const URGENT_PER_SLOT = 2;

/** The triggers of one webhook that are in memory or have reservations. Times are monotonic. */
export class WebhookQueue {
  readonly budget: CapacityBudget;
  readonly breaker: Breaker;
  readonly waiting: LeasedTrigger[] = [];
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
   * @param user for whom it counts.
   * @param slots how many attempts may be under way at once.
   */
  constructor(
    readonly webhookId: string,
    public user: UserShare,
    slots: number,
  ) {
    this.budget = new CapacityBudget(slots, new AttemptTime());
    this.breaker = new Breaker(slots);
  }

  /** Assigns the queue, which is empty, to a user's budget. */
  countFor(user: UserShare): void {
    this.user = user;
    this.budget.parent = user.budget;
  }

  /** Sets how many attempts may be under way at once. Those that are go on. */
  limitTo(slots: number): void {
    this.budget.slots = slots;
    this.breaker.limitTo(slots);
  }

  /** A new generation, unless it is the first, resets the breaker: the receiver is another one, or is to be tried again. */
  setGeneration(generation: number): void {
    if (this.generation !== null && this.generation !== generation) this.breaker.reset();
    this.generation = generation;
  }

  /** The most attempts a second; null for no limit. */
  get ratePerSecond(): number | null {
    return this.gate?.perSecond ?? null;
  }

  setGate(gate: RateGate | null): void {
    this.stopGate();
    this.gate = gate;
  }

  /** Nothing waits for its next start time any more. */
  stopGate(): void {
    this.gate?.close();
  }

  /**
   * While triggers wait and slots are free for them, sees to it that their next start time is known and noticed. Starts
   * that could not be used would be taken from other processes.
   */
  awaitStart(now: number): void {
    if (this.gate === null) return;
    const { slots, sending } = this.budget;
    const free = Math.min(slots, Math.max(1, this.breaker.limitAt(now))) - sending;
    const count = Math.min(free, this.waiting.length);
    if (count > 0) this.gate.await(count, now);
  }

  /** Whether it is empty and nothing has to be remembered about its receiver. */
  get isIdle(): boolean {
    return this.isEmpty && this.breaker.isWell;
  }

  get isEmpty(): boolean {
    return this.budget.size === 0;
  }

  /** How many triggers wait or are to come. */
  private get ahead(): number {
    return this.budget.waiting + this.budget.reserved;
  }

  /**
   * Whether this part, from 0 to 1, of its capacity for triggers that wait is free, and for one at least. A receiver that has
   * just recovered gets few triggers at first, however many are due; one that is down gets only its probe.
   */
  isFreeAt(now: number, part: number): boolean {
    if (!this.breaker.isClosed) return this.wantsProbeAt(now);
    if (this.gate !== null && this.ahead >= Math.max(1, this.gate.soon * (1 - part))) return false;
    return this.budget.isFreeAt(now, part, this.breaker.limitAt(now));
  }

  /** Whether its pause is over but it has no trigger to send as the probe. */
  wantsProbeAt(now: number): boolean {
    return !this.breaker.isClosed && this.ahead === 0 && this.breaker.admitsAt(now);
  }

  /**
   * How many more triggers that were asked for by hand may come, even if the receiver is paused. Others stay in the database,
   * where they stand in nobody's way.
   */
  get urgentCapacity(): number {
    return URGENT_PER_SLOT * this.budget.slots - this.urgentWaiting;
  }

  /** How many waiting triggers were asked for by hand; they stand before all others. */
  private get urgentWaiting(): number {
    const other = this.waiting.findIndex(({ urgent }) => !urgent);
    return other < 0 ? this.waiting.length : other;
  }

  isPausedAt(now: number): boolean {
    return this.breaker.limitAt(now) === 0;
  }

  /** Whether the first trigger that waits may be sent. */
  isReadyAt(now: number): boolean {
    const [first] = this.waiting;
    if (first === undefined || this.isAsking || this.budget.sending >= this.budget.slots) return false;
    if (!first.urgent && !this.breaker.admitsAt(now)) return false;
    return this.gate === null || this.gate.mayStartAt(now);
  }

  /** Adds a trigger that had a reservation. */
  add(trigger: LeasedTrigger): void {
    this.budget.move('reserved', 'waiting');
    if (trigger.urgent) this.waiting.unshift(trigger);
    else this.waiting.push(trigger);
  }

  /** Begins to send the first trigger that waits. While the breaker is open, that is its probe. */
  begin(): LeasedTrigger {
    const trigger = this.waiting.shift() as LeasedTrigger;
    this.gate?.start();
    if (!this.breaker.isClosed && trigger.cause === 'schedule') trigger.cause = 'probe';
    this.budget.move('waiting', 'sending');
    trigger.breakerEpoch = this.breaker.begin();
    return trigger;
  }

  /** Ends its attempt; its result is stored next. @returns whether the breaker opened. */
  end(trigger: LeasedTrigger, verdict: Verdict, now: number, pauseMs: number): boolean {
    this.budget.time.count(now);
    this.budget.move('sending', 'settling');
    return this.breaker.end(trigger.breakerEpoch, verdict, now, pauseMs);
  }

  /** How many of the triggers that wait will not start soon. A probe is none of them. */
  lateAt(now: number): number {
    if (!this.breaker.isClosed) return 0;
    const waiting = this.waiting.length;
    const soon = this.gate === null ? Number.POSITIVE_INFINITY : this.gate.soon;
    const paced = waiting > 2 * soon ? waiting - Math.floor(soon) : 0;
    return Math.max(paced, this.budget.lateAt(now, this.breaker.limitAt(now)));
  }

  /** Notes how many slots are in use. While triggers wait, that is all it may use, whoever keeps them waiting. */
  reckonAt(now: number): void {
    const all = this.waiting.length > 0 ? this.breaker.limitAt(now) : 0;
    this.budget.time.use(Math.max(this.budget.sending, all), now);
  }

  /** Removes all triggers that wait. */
  takeAll(): LeasedTrigger[] {
    return this.takeFrom(0);
  }

  /** Removes the last triggers that wait, except those that were asked for by hand, which come first. */
  takeLast(count: number): LeasedTrigger[] {
    return this.takeFrom(Math.max(this.urgentWaiting, this.waiting.length - count));
  }

  private takeFrom(index: number): LeasedTrigger[] {
    const taken = this.waiting.splice(index);
    for (const _ of taken) this.budget.move('waiting', null);
    return taken;
  }
}
