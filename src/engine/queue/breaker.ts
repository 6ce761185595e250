/** After this many failures in a row a receiver counts as down. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Whether an attempt showed that its receiver is up, down, or up but too busy; null if it says nothing about that.
 */
export type Verdict = 'up' | 'down' | 'busy' | null;

/**
 * Limits how many attempts may be in flight to one receiver. Times are monotonic, in milliseconds.
 *
 * - **Closed**: as many as the webhook may have. The fifth failure in a row opens it, and so does a receiver that asks for a
 *   pause; one that is busy gets half as many.
 * - **Open**: none, until the pause is over.
 * - **Half-open**: a single one, the probe. If it fails, it is open again, for twice as long; if it succeeds, closed.
 * - **Closed again**: two at first, and twice as many with each success, up to all.
 *
 * Each time it opens, a new epoch begins, and attempts of earlier ones do not count: ten attempts that were under way
 * when a receiver went away open it once, and do not lengthen the pause.
 */
export class Breaker {
  private epoch = 0;
  /** Consecutive failures while closed. */
  private failures = 0;
  private allowed: number;
  /** Attempts that began in this epoch and have not ended. */
  private underWay = 0;
  private closed = true;
  /** The end of the last pause. */
  private pausedUntil = Number.NEGATIVE_INFINITY;
  /** Pauses since it was last closed. */
  private pauses = 0;
  /** When the last failed attempt ended. */
  private failedAt = Number.NEGATIVE_INFINITY;

  constructor(private most: number) {
    this.allowed = most;
  }

  /** Sets how many attempts may be in flight when all is well. */
  limitTo(most: number): void {
    this.allowed = this.allowed === this.most ? most : Math.min(this.allowed, most);
    this.most = most;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Closed and back at the full limit, and its last attempt did not fail. */
  get isWell(): boolean {
    return this.closed && this.allowed === this.most && this.failures === 0;
  }

  /** Forgets how the receiver was. Attempts under way do not count any more. */
  reset(): void {
    this.epoch++;
    this.underWay = 0;
    this.failures = 0;
    this.pauses = 0;
    this.closed = true;
    this.allowed = this.most;
    this.pausedUntil = Number.NEGATIVE_INFINITY;
  }

  /** When its last attempt failed, or the pause after that ends. */
  get troubledUntil(): number {
    return Math.max(this.pausedUntil, this.failedAt);
  }

  /** When the last pause ends or ended. */
  get pauseEnd(): number {
    return this.pausedUntil;
  }

  /** How many attempts of this epoch may be under way. */
  limitAt(now: number): number {
    if (this.closed) return this.allowed;
    return now < this.pausedUntil ? 0 : 1;
  }

  /** Whether one more attempt may begin. */
  admitsAt(now: number): boolean {
    return this.underWay < this.limitAt(now);
  }

  /** Begins an attempt; one requested manually may begin even if {@link admitsAt} is false. @returns its epoch. */
  begin(): number {
    this.underWay++;
    return this.epoch;
  }

  /**
   * Ends an attempt of the given epoch.
   *
   * @param pauseMs for how long the receiver asked to be left alone; 0 if it did not.
   * @returns whether the breaker opened.
   */
  end(epoch: number, verdict: Verdict, now: number, pauseMs = 0): boolean {
    if (epoch !== this.epoch) return false;
    this.underWay--;
    if (verdict === 'up') this.succeeded();
    if (verdict !== 'down' && verdict !== 'busy') return false;
    this.failures++;
    this.failedAt = now;
    if (verdict === 'busy') this.allowed = Math.max(1, Math.floor(this.allowed / 2));
    if (this.closed && pauseMs === 0 && this.failures < FAILURES_TO_OPEN) return false;
    this.open(now, pauseMs);
    return true;
  }

  private succeeded(): void {
    this.allowed = Math.min(this.most, this.allowed * 2);
    this.failures = 0;
    this.pauses = 0;
    this.closed = true;
  }

  private open(now: number, pauseMs: number): void {
    this.closed = false;
    // The pause reaches its maximum by the seventh power; bounding the exponent keeps the number finite.
    const growing = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.pauses, 10), LONGEST_PAUSE_MS);
    this.pausedUntil = now + Math.max(growing, pauseMs);
    this.pauses++;
    this.epoch++;
    this.underWay = 0;
    this.failures = 0;
    this.allowed = 1;
  }
}
