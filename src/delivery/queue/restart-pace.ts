import type { Clock } from '../../common/clock.js';

/** The least time from one reading of the queue to the next. */
const AT_LEAST_MS = 1000;
/** The most, where the end is not reached before. */
const AT_MOST_MS = 60_000;
/** Reading the queue from its beginning again and again may take this part of the time at the most. */
const PART = 0.05;
/** And this part where something is known to have been put before what was read. */
const KNOWN_PART = 0.2;

/** How often the queue is read from its beginning, for what was put before the place that the scan has come to. */
export class RestartPace {
  private startedAt: number;
  /** Spent on reading from there to the end, and whether that was reached. */
  private readMs = 0;
  private reachedEnd = true;
  private isKnown = false;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.monotonic() - AT_LEAST_MS;
  }

  /** Something was put before that place. */
  putBefore(): void {
    this.isKnown = true;
  }

  /** Some of it was read. @param isEnd whether there was no more. */
  read(ms: number, isEnd: boolean): void {
    if (!this.reachedEnd) this.readMs += ms;
    if (isEnd) this.reachedEnd = true;
  }

  /** Whether to begin anew; where it says so, that is taken to be done. */
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
