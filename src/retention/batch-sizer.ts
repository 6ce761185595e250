/** How much the engine has to do. */
export type Load = 'idle' | 'light' | 'full';

/** What a statement should take: batches grow below, and shrink above. */
const SHORT_MS = 6;
const LONG_MS = 12;
const FAR_TOO_LONG_MS = 25;
/** Fewer would not be faster: what is left are round trips and the commit. */
const MIN_ROWS = 100;
const MAX_ROWS = 4000;
const FIRST_ROWS = 300;

/** Pauses in times of what the batch took. */
const PAUSES: Record<Load, number> = { idle: 1, light: 9, full: 9 };
/** While attempts are made but none is late, and retention does not keep up. */
const CATCHING_UP = 3;
/** After a batch that only looked. */
const LOOKED_ONLY = 49;
const MIN_PAUSE_MS = 1;

/** How large batches are, and how long the pauses between them. */
export class BatchSizer {
  private size = FIRST_ROWS;

  /** Rows that the next batch may change. */
  get rows(): number {
    return Math.floor(this.size);
  }

  /** @param longestMs of the batch's longest statement. */
  took(longestMs: number): void {
    const factor =
      longestMs < SHORT_MS ? 1.5 : longestMs < LONG_MS ? 1 : longestMs < FAR_TOO_LONG_MS ? 0.7 : 0.5;
    this.size = Math.min(MAX_ROWS, Math.max(MIN_ROWS, this.size * factor));
  }

  /** A full disk may still have room for a small transaction. */
  failed(): void {
    this.size = MIN_ROWS;
  }
}

/**
 * The pause after a batch, in milliseconds.
 *
 * @param isBehind whether the last pass did not come to its end in time.
 */
export function pauseAfter(ms: number, load: Load, did: 'changed' | 'looked', isBehind: boolean): number {
  const factor =
    load === 'light' && isBehind && did === 'changed'
      ? CATCHING_UP
      : did === 'looked' && load !== 'idle'
        ? LOOKED_ONLY
        : PAUSES[load];
  return Math.max(MIN_PAUSE_MS, ms * factor);
}
