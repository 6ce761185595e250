const DAY_MS = 24 * 60 * 60 * 1000;
/** A webhook is disabled when every attempt has failed for this long... */
const SPAN_MS = 5 * DAY_MS;
/** ...and at least once in each of these parts, so that neither two distant failures nor a clock jump makes a span. */
const QUARTERS = 4;
const QUARTER_MS = SPAN_MS / QUARTERS;

/** A span of failures without a success. */
export interface FailingSpan {
  /** When its first attempt began. Epoch milliseconds. */
  since: number;
  /** Quarters with a failure, counted from the first. A quarter without one restarts the span. */
  quarters: number;
}

/**
 * How far a span is on its way to disabling its webhook, in percent, and when it disables it at the earliest. A span has
 * just begun (0), or has had a failure in its second, third or fourth quarter.
 */
export const progressOf = ({ since, quarters }: FailingSpan) => ({
  percent: ((quarters - 1) * 100) / QUARTERS,
  disabledAt: since + SPAN_MS,
});

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
  // The clocks of two processes may differ a little. If one was set back by more, the span means nothing.
  if (quarter < -1) return begun;
  if (quarter < span.quarters) return span;
  if (span.quarters < QUARTERS) {
    return quarter === span.quarters ? { since: span.since, quarters: quarter + 1 } : begun;
  }
  return quarter < 2 * QUARTERS ? 'over' : begun;
}
