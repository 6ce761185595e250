const DAY_MS = 24 * 60 * 60 * 1000;
/** A webhook is disabled when every attempt has failed for this long... */
const SPAN_MS = 5 * DAY_MS;
/** ...and at least one in each of these parts: neither two failures far apart nor a clock that jumps makes a span. */
const QUARTERS = 4;
const QUARTER_MS = SPAN_MS / QUARTERS;

/** A span of failures without a success. */
export interface FailingSpan {
  /** When its first attempt began. Epoch milliseconds. */
  since: number;
  /** The number of quarters with a failure, from the first on; a quarter without one begins the span anew. */
  quarters: number;
}

/** The span that a webhook's row holds. */
export const failingSpanOf = (row: { failingSince: number | null; failingQuarters: number }) =>
  row.failingSince === null ? null : { since: row.failingSince, quarters: row.failingQuarters };

/**
 * Adds a failure to a span.
 *
 * @returns `over` if the webhook is to be disabled; the same span if the failure adds nothing, as most do.
 */
export function afterFailure(
  span: FailingSpan | null,
  { beginAt, endAt }: { beginAt: number; endAt: number },
): FailingSpan | 'over' {
  const begun = { since: beginAt, quarters: 1 };
  if (span === null) return begun;
  const quarter = Math.floor((endAt - span.since) / QUARTER_MS);
  // The clocks of two processes differ a little; one that was set back by more makes the span worthless.
  if (quarter < -1) return begun;
  if (quarter < span.quarters) return span;
  if (span.quarters < QUARTERS) {
    return quarter === span.quarters ? { since: span.since, quarters: quarter + 1 } : begun;
  }
  return quarter < 2 * QUARTERS ? 'over' : begun;
}
