const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 3_600_000;

/** RFC 9110, 5.6.7: IMF-fixdate, RFC 850 and asctime; a recipient accepts all three. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The pause before the next attempt, in milliseconds, spread uniformly by ±20 % so that triggers which failed
 * together do not come back together.
 *
 * @param failedAttempts how many attempts have failed so far, at least 1.
 * @param scheduleSeconds the pause after the first, second … failure, in seconds.
 * @param random uniform in [0, 1), as `Math.random`.
 * @returns null if the schedule is used up.
 */
export function nextAttemptDelayMs(
  failedAttempts: number,
  scheduleSeconds: readonly number[],
  random: () => number,
): number | null {
  const pause = scheduleSeconds[failedAttempts - 1];
  if (pause === undefined) return null;
  return Math.round(pause * 1000 * (1 - JITTER + 2 * JITTER * random()));
}

/**
 * The pause that a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds or an HTTP-date), in milliseconds from
 * `nowMs`: never below 0, at most 1 h.
 *
 * @returns null if there is no header, or none that can be read.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const value = header?.trim();
  if (value === undefined) return null;
  const pause = /^-?\d+$/.test(value) ? Number(value) * 1000 : httpDateMs(value) - nowMs;
  return Number.isNaN(pause) ? null : Math.min(Math.max(pause, 0), MAX_RETRY_AFTER_MS);
}

/** The longest pause of a schedule, in milliseconds, with jitter. */
export const longestPauseMs = (scheduleSeconds: readonly number[]) =>
  Math.max(...scheduleSeconds) * 1000 * (1 + JITTER);

/** How long a trigger may go on failing: all pauses of a schedule, in milliseconds, with jitter. */
export const longestScheduleMs = (scheduleSeconds: readonly number[]) =>
  scheduleSeconds.reduce((sum, pause) => sum + pause, 0) * 1000 * (1 + JITTER);

function httpDateMs(value: string): number {
  if (!HTTP_DATES.some((form) => form.test(value))) return Number.NaN;
  // asctime has no time zone, and Date.parse would assume the host's.
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
}
