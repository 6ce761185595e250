/** What an attempt is taken to last before the first ones have ended. */
const FIRST_MS = 1000;

/**
 * How long the attempts of a webhook or of the process take at present.
 *
 * It is learned in laps: as many attempts as there were slots in use. What counts is how long they took in the last lap,
 * whatever they took before; so it falls at once when a receiver has begun to answer. Those under way count with the time
 * they have taken so far, if that is longer, so nobody has to wait for a receiver's answer to see that it has become
 * slow. Times are monotonic, in milliseconds.
 */
export class AttemptTime {
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

  /** Sets how many slots are in use from now on. */
  use(inUse: number, now: number): void {
    this.busyMs = this.busyMsAt(now);
    this.inUse = inUse;
    this.since = now;
    this.lap = Math.max(this.lap, inUse);
  }

  /** Counts an attempt that has ended. */
  count(now: number): void {
    this.use(this.inUse, now);
    this.ended++;
    if (this.ended < this.lap) return;
    this.lastMs = this.busyMs / this.ended;
    this.ended = 0;
    this.busyMs = 0;
    this.lap = this.inUse;
  }

  msAt(now: number): number {
    return Math.max(this.lastMs, this.busyMsAt(now) / Math.max(1, this.lap));
  }

  private busyMsAt(now: number): number {
    return this.busyMs + this.inUse * (now - this.since);
  }
}
