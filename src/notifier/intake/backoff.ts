/** Pauses that double up to a limit, each spread by ±20 %, so that many processes do not come back at once. */
export class Backoff {
  private pauseMs: number;

  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
  ) {
    this.pauseMs = firstMs;
  }

  /** The next pause, in milliseconds. */
  next(): number {
    const pauseMs = this.pauseMs;
    this.pauseMs = Math.min(this.longestMs, pauseMs * 2);
    return pauseMs * (0.8 + 0.4 * Math.random());
  }

  reset(): void {
    this.pauseMs = this.firstMs;
  }
}
