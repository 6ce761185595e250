const DAY_MS = 24 * 60 * 60 * 1000;
/** A webhook whose every attempt failed for so long is switched off... */
const SPAN_MS = 5 * DAY_MS;
/** ...if one failed in each of so many parts of it: two failures that lie far apart, or a clock that jumps, are no span. */
const QUARTERS = 4;
const QUARTER_MS = SPAN_MS / QUARTERS;

/** A span without a success. */
export interface FailingSpan {
  /** When the first attempt of it began. Epoch milliseconds. */
  since: number;
  /** In how many quarters one failed, from the first on: one that has none begins the span anew. */
  quarters: number;
}

/** What a webhook's row says of it. */
export const failingSpanOf = (row: { failingSince: number | null; failingQuarters: number }) =>
  row.failingSince === null ? null : { since: row.failingSince, quarters: row.failingQuarters };

/**
 * What one more failure makes of a span.
 *
 * @returns `over` where it makes the webhook one that fails for good; the same span where it tells nothing new, as most do.
 */
export function afterFailure(
  span: FailingSpan | null,
  { beginAt, endAt }: { beginAt: number; endAt: number },
): FailingSpan | 'over' {
  const begun = { since: beginAt, quarters: 1 };
  if (span === null) return begun;
  const quarter = Math.floor((endAt - span.since) / QUARTER_MS);
  // Clocks of two processes differ a little; one that was put back by more than that makes the span worthless.
  if (quarter < -1) return begun;
  if (quarter < span.quarters) return span;
  if (span.quarters < QUARTERS) {
    return quarter === span.quarters ? { since: span.since, quarters: quarter + 1 } : begun;
  }
  return quarter < 2 * QUARTERS ? 'over' : begun;
}
