/** After so many failures in a row a receiver is taken to be down. */
const FAILURES_TO_OPEN = 5;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;

/** Whether an attempt showed that its receiver is up; null where it says nothing about that. */
export type Verdict = 'up' | 'down' | null;

/**
 * How many attempts at once one receiver is good for. Times are of the monotonic clock, in milliseconds.
 *
 * - **Closed**: as many as the webhook may have. The fifth failure in a row opens it.
 * - **Open**: none, until the pause is over.
 * - **Half-open**: a single one, the probe. If it fails, it is open again, for twice as long; if it succeeds, closed.
 * - **Closed again**: two at first, and twice as many with each success, up to all.
 *
 * Each time it opens, a new epoch begins. What was begun in an earlier one says nothing: ten attempts that were under
 * way when a receiver went away are one failure of it, not six.
 */
export class Breaker {
  private epoch = 0;
  /** In a row, while closed. */
  private failures = 0;
  private allowed: number;
  /** Begun in this epoch, and not ended. */
  private underWay = 0;
  private closed = true;
  /** Of the last pause. */
  private pausedUntil = Number.NEGATIVE_INFINITY;
  /** Pauses since it was closed. */
  private pauses = 0;

  constructor(private readonly most: number) {
    this.allowed = most;
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Closed, and nothing of the last time that it was open is left. */
  get isWell(): boolean {
    return this.closed && this.allowed === this.most;
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

  /** An attempt begins; one that was asked for by hand may do so whatever {@link admitsAt} says. @returns its epoch. */
  begin(): number {
    this.underWay++;
    return this.epoch;
  }

  /** An attempt of this epoch has ended. @returns whether the breaker opened. */
  end(epoch: number, verdict: Verdict, now: number): boolean {
    if (epoch !== this.epoch) return false;
    this.underWay--;
    if (verdict === 'up') this.succeeded();
    if (verdict !== 'down') return false;
    this.failures++;
    if (this.closed && this.failures < FAILURES_TO_OPEN) return false;
    this.open(now);
    return true;
  }

  private succeeded(): void {
    this.allowed = Math.min(this.most, this.allowed * 2);
    this.failures = 0;
    this.pauses = 0;
    this.closed = true;
  }

  private open(now: number): void {
    // Past this power the pause is the longest anyway.
    this.closed = false;
    this.pausedUntil = now + Math.min(FIRST_PAUSE_MS * 2 ** Math.min(this.pauses, 10), LONGEST_PAUSE_MS);
    this.pauses++;
    this.epoch++;
    this.underWay = 0;
    this.failures = 0;
    this.allowed = 1;
  }
}
