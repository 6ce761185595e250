/** Batches are made this often, unless they would be too large: each is a transaction, whatever it makes due. */
const BATCH_MS = 1000;
/**
 * Triggers are made due in groups: five, or a tenth of a second's worth if that is more, at most half a second's. Claiming each
 * trigger by itself would be a commit each, which others have to wait for.
 */
const TOGETHER = 5;
const TOGETHER_MS = 100;
const MAX_TOGETHER_MS = 500;
const MAX_BATCH = 100;
/** How late a batch may be and still keep the rate. What is later than that is not made up for. */
const LATE_MS = 500;

/** Says how many triggers to make due, and when. Times are monotonic milliseconds. */
export class ReplayRate {
  readonly perSecond: number;
  /** The most triggers of a batch. */
  readonly batch: number;
  private readonly gapMs: number;
  private readonly togetherMs: number;
  /** When the next trigger is due. */
  private next: number;

  /** @param perSecond taken as one if it is less, or no number, as in a row that is broken. */
  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond >= 1 ? perSecond : 1;
    this.batch = Math.min(MAX_BATCH, Math.floor((this.perSecond * BATCH_MS) / 1000));
    this.gapMs = 1000 / this.perSecond;
    this.togetherMs = Math.min(MAX_TOGETHER_MS, Math.max(TOGETHER_MS, TOGETHER * this.gapMs));
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
