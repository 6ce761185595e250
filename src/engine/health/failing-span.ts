/**
 * A webhook is disabled when every attempt has failed for its span, and at least once in each of these parts, so that
 * neither two distant failures nor a clock jump makes a span.
 */
const QUARTERS = 4;

/** A span of failures without a success. */
export interface FailingSpan {
  /** When its first attempt began. Epoch milliseconds. */
  since: number;
  /** Quarters with a failure, counted from the first. A quarter without one restarts the span. */
  quarters: number;
  /** The id of the oldest notification that failed since the last success. Null if only what was sent again by hand did. */
  oldest: string | null;
}

/**
 * How far a span is on its way to disabling its webhook, in percent, and when it disables it at the earliest. A span has
 * just begun (0), or has had a failure in its second, third or fourth quarter.
 *
 * @param spanMs after which a webhook is disabled.
 */
export const progressOf = ({ since, quarters }: FailingSpan, spanMs: number) => ({
  percent: ((quarters - 1) * 100) / QUARTERS,
  disabledAt: since + spanMs,
});

/** The span that a webhook's row holds. */
export const failingSpanOf = (row: {
  failingSince: number | null;
  failingQuarters: number;
  recoverFrom: string | null;
}): FailingSpan | null =>
  row.failingSince === null
    ? null
    : { since: row.failingSince, quarters: row.failingQuarters, oldest: row.recoverFrom };

/** The earlier one of two ids that may be missing. */
export const olderOf = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other < one) ? other : one;

/** Adds what has failed, but says nothing about since when. @returns the same span if an older one failed already. */
export function withFailed(span: FailingSpan, notificationId: string | null): FailingSpan {
  const oldest = olderOf(span.oldest, notificationId);
  return oldest === span.oldest ? span : { ...span, oldest };
}

/** How long failures may go on. */
export interface FailingLimits {
  /** After which a webhook is disabled; 0 for never. */
  spanMs: number;
  /** The longest pause between two attempts: a quarter in which none was due has not been missed. */
  pauseMs: number;
}

/**
 * Adds a failure to a span.
 *
 * @param notificationId the id of the notification that failed; null if it was sent again by hand, so that it says nothing about
 * since when the webhook fails.
 * @returns `over` if the webhook is to be disabled; the same span if the failure adds nothing, as most do.
 */
export function afterFailure(
  span: FailingSpan | null,
  { beginAt, endAt }: { beginAt: number; endAt: number },
  notificationId: string | null,
  { spanMs, pauseMs }: FailingLimits,
): FailingSpan | 'over' {
  // Also what failed before a gap has not been delivered since.
  const oldest = olderOf(span?.oldest ?? null, notificationId);
  const begun = { since: beginAt, quarters: 1, oldest };
  if (span === null) return begun;
  if (spanMs === 0) return span;
  const same = withFailed(span, notificationId);
  const quarter = Math.floor(((endAt - span.since) * QUARTERS) / spanMs);
  // The clocks of two processes may differ a little. If one was set back by more, the span means nothing.
  if (quarter < -1) return begun;
  if (quarter < span.quarters) return same;
  const silentMs = endAt - (span.since + (span.quarters * spanMs) / QUARTERS);
  const isLast = span.quarters === QUARTERS && quarter < 2 * QUARTERS;
  const isUnbroken = quarter === span.quarters || silentMs <= pauseMs;
  if (!isUnbroken && !isLast) return begun;
  return quarter < QUARTERS ? { since: span.since, quarters: quarter + 1, oldest } : 'over';
}
