import type { Clock } from '../../platform/clock.js';

/** The shortest time between two scans from the beginning of the queue. */
const AT_LEAST_MS = 1000;
/** The longest, even if the scan has not reached the end. */
const AT_MOST_MS = 60_000;
/** The share of time that may go into rescanning the queue. */
const PART = 0.05;
/** The share if triggers are known to have been put before the position of the scan. */
const KNOWN_PART = 0.2;

/** Decides how often to rescan the queue from its beginning, for triggers put before the position of the scan. */
export class RescanThrottle {
  private startedAt: number;
  /** Time spent on reading since `startedAt`, until the end was reached. */
  private readMs = 0;
  private reachedEnd = true;
  private isKnown = false;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.monotonic() - AT_LEAST_MS;
  }

  /** Notes that triggers were requeued before the position of the scan. */
  requeuedBefore(): void {
    this.isKnown = true;
  }

  /** Counts the time of a read. @param isEnd whether it reached the end of the queue. */
  read(ms: number, isEnd: boolean): void {
    if (!this.reachedEnd) this.readMs += ms;
    if (isEnd) this.reachedEnd = true;
  }

  /** Whether to restart the scan. If true, the caller must do so. */
  tryRestart(): boolean {
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
