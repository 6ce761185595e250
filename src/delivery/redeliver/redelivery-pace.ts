/** Batches are made this often, unless they would be too large. */
const BATCH_MS = 500;
/**
 * So many are due together, or as many as a tenth of a second has, if those are more: claiming each trigger by itself would
 * be a commit each, which others have to wait for.
 */
const TOGETHER = 5;
const TOGETHER_MS = 100;
const MAX_BATCH = 100;
/** How late a batch may be and still keep the pace. What is later than that is not made up for. */
const LATE_MS = 250;

/** Says how many triggers to make due, and when. Times are monotonic milliseconds. */
export class RedeliveryPace {
  /** The most triggers of a batch. */
  readonly batch: number;
  private readonly gapMs: number;
  private readonly togetherMs: number;
  /** When the next trigger is due. */
  private next: number;

  constructor(perSecond: number, now: number) {
    this.batch = Math.min(MAX_BATCH, Math.max(1, Math.floor((perSecond * BATCH_MS) / 1000)));
    this.gapMs = 1000 / perSecond;
    this.togetherMs = Math.min(BATCH_MS, Math.max(TOGETHER_MS, TOGETHER * this.gapMs));
    this.next = now;
  }

  /** Milliseconds until the next batch. */
  wait(now: number): number {
    return Math.max(0, this.next - now);
  }

  /** Takes the next places. @returns how long after `now` each trigger of a batch is due. */
  take(count: number, now: number): number[] {
    const begin = Math.max(this.next, now - LATE_MS);
    this.next = begin + count * this.gapMs;
    return Array.from({ length: count }, (_, i) => {
      const offset = Math.floor((i * this.gapMs) / this.togetherMs) * this.togetherMs;
      return Math.max(0, Math.round(begin + offset - now));
    });
  }
}
