/** After so many failures in a row a receiver is taken to be down. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/**
 * How many attempts at once one receiver is good for. One that is down is probed by a single attempt now and then
 * (half-open) rather than hammered; one that comes back gets more step by step, as it answers.
 */
export class Breaker {
  private failures = 0;
  private allowed: number;
  private pausedUntil = 0;

  constructor(private readonly most: number) {
    this.allowed = most;
  }

  /** How many attempts may be under way. */
  limitAt(now: number): number {
    return now < this.pausedUntil ? 0 : this.allowed;
  }

  /** When {@link limitAt} goes up by itself; null where it does not. */
  get resumesAt(): number | null {
    return this.pausedUntil > 0 ? this.pausedUntil : null;
  }

  succeeded(): void {
    this.failures = 0;
    this.pausedUntil = 0;
    this.allowed = Math.min(this.most, this.allowed * 2);
  }

  /** @param now epoch milliseconds. */
  failed(now: number): void {
    this.failures++;
    if (this.failures < FAILURES_TO_OPEN) return;
    this.allowed = 1;
    const pause = FIRST_PAUSE_MS * 2 ** Math.min(this.failures - FAILURES_TO_OPEN, 10);
    this.pausedUntil = now + Math.min(pause, LONGEST_PAUSE_MS);
  }
}
