const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Spans of time that statistics are looked at in, each with steps that make a chart. */
export const PERIODS = {
  hour: { text: 'Last hour', step: 'minute', stepMs: 60_000, steps: 60, everyMs: 15_000 },
  day: { text: 'Last 24 hours', step: 'hour', stepMs: HOUR_MS, steps: 24, everyMs: 30_000 },
  week: { text: 'Last 7 days', step: 'hour', stepMs: HOUR_MS, steps: 7 * 24, everyMs: 60_000 },
  month: { text: 'Last 30 days', step: 'day', stepMs: DAY_MS, steps: 30, everyMs: 60_000 },
} as const;

export type PeriodName = keyof typeof PERIODS;

export const periodOf = (name: string): PeriodName => (name in PERIODS ? (name as PeriodName) : 'day');

export const PERIOD_CHOICES = Object.entries(PERIODS).map(
  ([name, { text }]) => [name as PeriodName, text] as const,
);

/** Where the period begins: with a step, so that the same is asked for all through the last one. */
export function sinceOf(name: PeriodName): string {
  const { stepMs, steps } = PERIODS[name];
  return new Date(Math.floor(Date.now() / stepMs) * stepMs - (steps - 1) * stepMs).toISOString();
}
