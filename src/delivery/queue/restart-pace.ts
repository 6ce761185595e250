import type { Clock } from '../../common/clock.js';

/** The least time between two readings of the queue from its beginning. */
const AT_LEAST_MS = 1000;
/** The most, even if the end was not reached. */
const AT_MOST_MS = 60_000;
/** The part of the time that may go into reading the queue again and again. */
const PART = 0.05;
/** The same if something is known to have been put before the place that was read. */
const KNOWN_PART = 0.2;

/** Decides how often the queue is read from its beginning, for triggers put before the place the scan has reached. */
export class RestartPace {
  private startedAt: number;
  /** Time spent on reading since then, until the end was reached. */
  private readMs = 0;
  private reachedEnd = true;
  private isKnown = false;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.monotonic() - AT_LEAST_MS;
  }

  /** Something was put before the place that was read. */
  putBefore(): void {
    this.isKnown = true;
  }

  /** Some of the queue was read. @param isEnd whether there was no more. */
  read(ms: number, isEnd: boolean): void {
    if (!this.reachedEnd) this.readMs += ms;
    if (isEnd) this.reachedEnd = true;
  }

  /** Whether to begin anew; if it says so, the caller must. */
  isTime(): boolean {
    const age = this.clock.monotonic() - this.startedAt;
    const pause = Math.max(AT_LEAST_MS, this.readMs / (this.isKnown ? KNOWN_PART : PART));
    if (age < AT_MOST_MS && (!this.reachedEnd || age < pause)) return false;
    this.startedAt += age;
    this.readMs = 0;
    this.reachedEnd = false;
    this.isKnown = false;
    return true;
  }
}
