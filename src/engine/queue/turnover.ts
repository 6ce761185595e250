/** A trigger that waits should start within this time. Otherwise it is left to other processes. */
const SOON_MS = 2000;
/** What an attempt is taken to last before the first ones have ended. */
const FIRST_MS = 1000;
/**
 * The most triggers that wait for each slot, however fast it becomes free: enough to keep it busy while results are
 * stored and triggers claimed.
 */
const WAITING_PER_SLOT = 7;

/**
 * How fast the slots of a webhook or the process become free, and so how many triggers may be held for them: one in each
 * slot, and as many waiting as will start within two seconds.
 *
 * It is learned in laps: as many attempts as there were slots in use. What counts is how long they took in the last lap,
 * whatever they took before; so it goes up at once when a receiver has begun to answer. Those under way count with the time
 * they have taken so far, if that is longer, so nobody has to wait for a receiver's answer to see that it has become
 * slow. Times are monotonic, in milliseconds.
 */
export class Turnover {
  /** How long an attempt took in the last lap. */
  private lastMs = FIRST_MS;
  /** Attempts that have ended in this lap. */
  private ended = 0;
  /** The time that slots have been in use in this lap. */
  private busyMs = 0;
  /** The most slots in use at once in this lap. */
  private lap = 0;
  private inUse = 0;
  /** Since when so many slots are in use. */
  private since = 0;

  constructor(private slots: number) {}

  /** Sets how many slots there are. */
  limitTo(slots: number): void {
    this.slots = slots;
  }

  /** Sets how many slots are in use from now on. */
  use(inUse: number, now: number): void {
    this.busyMs = this.busyMsAt(now);
    this.inUse = inUse;
    this.since = now;
    this.lap = Math.max(this.lap, inUse);
  }

  /** Counts an attempt that has ended. */
  count(): void {
    this.ended++;
    if (this.ended < this.lap) return;
    this.lastMs = this.busyMs / this.ended;
    this.ended = 0;
    this.busyMs = 0;
    this.lap = this.inUse;
  }

  /** The most triggers that may ever be held. */
  mostPlaces(slots = this.slots): number {
    return slots * (1 + WAITING_PER_SLOT);
  }

  /** How many triggers may be held. @param slots how many of the slots may be used at present. */
  placesAt(now: number, slots = this.slots): number {
    return Math.max(1, Math.floor(slots + this.soonAt(now, slots)));
  }

  /**
   * How many more triggers may be held.
   *
   * @param settling those of the held that were sent, and whose results are not stored yet. They need no slot, so a slow
   * database does not leave slots empty; but they are held, up to the most.
   */
  leftAt(now: number, held: number, settling: number, slots = this.slots): number {
    const most = Math.max(1, Math.floor(this.mostPlaces(slots)));
    return Math.min(this.placesAt(now, slots) + settling, most) - held;
  }

  /** Whether this part, from 0 to 1, of the places for triggers that wait is free, and one at least. */
  isFreeAt(now: number, held: number, settling: number, part: number, slots = this.slots): boolean {
    return (
      this.leftAt(now, held, settling, slots) > 0 &&
      held - settling <= slots + this.soonAt(now, slots) * (1 - part) &&
      held <= this.mostPlaces(slots) * (1 - part)
    );
  }

  /**
   * How many of the triggers that wait will not start soon. None unless they are more than twice too many: giving them
   * back is a commit, and the estimate is rough.
   */
  lateAt(now: number, waiting: number, sending: number, slots = this.slots): number {
    const soon = this.soonAt(now, slots);
    const free = Math.max(0, slots - sending);
    return waiting > free + 2 * soon ? waiting - free - Math.floor(soon) : 0;
  }

  /** How many attempts will start within {@link SOON_MS}, at most {@link WAITING_PER_SLOT} for each slot. */
  private soonAt(now: number, slots: number): number {
    return Math.min(slots * WAITING_PER_SLOT, (slots * SOON_MS) / this.attemptMsAt(now));
  }

  private attemptMsAt(now: number): number {
    return Math.max(this.lastMs, this.busyMsAt(now) / Math.max(1, this.lap));
  }

  private busyMsAt(now: number): number {
    return this.busyMs + this.inUse * (now - this.since);
  }
}
