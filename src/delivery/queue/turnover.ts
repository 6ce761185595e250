/** A trigger that waits should start within this time. Otherwise it is left to other processes. */
const SOON_MS = 2000;
/** What an attempt is taken to last before the first one has ended. */
const FIRST_MS = 1000;
/**
 * The most triggers that wait for each slot, however fast it becomes free: enough to keep it busy while results are
 * stored and triggers claimed.
 */
const WAITING_PER_SLOT = 7;

/**
 * How fast the slots of a webhook, a user or the process become free, and so how many triggers may be held for them: one
 * in each slot, and as many waiting as will start within two seconds.
 *
 * It is learned from the last attempts: between one and two for each slot. Those under way count with the time they have
 * taken so far, so nobody has to wait for a receiver's answer to see that it has become slow. When attempts turn out to
 * be short, the number doubles each time as many of them have ended as there are slots. Times are monotonic, in
 * milliseconds.
 */
export class Turnover {
  /** Attempts that have ended. */
  private ended: number;
  /** The time they and those under way have occupied slots. */
  private busyMs: number;
  private inUse = 0;
  /** Since when so many slots are in use. */
  private since = 0;

  /** @param attemptMs how long an attempt is taken to last at first. */
  constructor(
    private slots: number,
    attemptMs = FIRST_MS,
  ) {
    this.ended = slots;
    this.busyMs = slots * attemptMs;
  }

  /** Sets how many slots there are. */
  limitTo(slots: number): void {
    this.slots = slots;
  }

  /** Sets how many slots are in use from now on. */
  use(inUse: number, now: number): void {
    this.busyMs = this.busyMsAt(now);
    this.inUse = inUse;
    this.since = now;
  }

  /** Counts an attempt that has ended. */
  count(): void {
    this.ended++;
    if (this.ended < 2 * this.slots) return;
    this.ended /= 2;
    this.busyMs /= 2;
  }

  /** The most triggers that may ever be held. */
  mostPlaces(slots = this.slots): number {
    return slots * (1 + WAITING_PER_SLOT);
  }

  /** How long an attempt lasts. */
  attemptMsAt(now: number): number {
    return this.busyMsAt(now) / this.ended;
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

  private busyMsAt(now: number): number {
    return this.busyMs + this.inUse * (now - this.since);
  }
}
