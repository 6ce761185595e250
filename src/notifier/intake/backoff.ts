import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses that double up to a limit, each spread by ±20 %, so that many processes do not come back at once. */
export class Backoff {
  private pauseMs: number;

  /** @param stop ends a pause early, and all that follow at once. */
  constructor(
    private readonly firstMs: number,
    private readonly longestMs: number,
    private readonly stop: AbortSignal,
  ) {
    this.pauseMs = firstMs;
  }

  /** Resolves at the end of the next pause. */
  async pause(): Promise<void> {
    const ms = this.pauseMs * (0.8 + 0.4 * Math.random());
    this.pauseMs = Math.min(this.longestMs, this.pauseMs * 2);
    await sleep(ms, undefined, { signal: this.stop }).catch(() => undefined);
  }

  reset(): void {
    this.pauseMs = this.firstMs;
  }
}
