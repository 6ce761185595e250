/** What of a webhook is not delivered yet. Times are epoch milliseconds. */
export interface Waiting {
  count: number;
  /** When the oldest was accepted; null if nothing waits. */
  oldestAt: number | null;
  /** When the first is due; null if none is. */
  nextAt: number | null;
}

export const NOTHING_WAITS: Waiting = { count: 0, oldestAt: null, nextAt: null };

const first = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));

export const together = (a: Waiting, b: Waiting): Waiting => ({
  count: a.count + b.count,
  oldestAt: first(a.oldestAt, b.oldestAt),
  nextAt: first(a.nextAt, b.nextAt),
});
