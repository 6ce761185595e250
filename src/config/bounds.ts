/** Least and most, both included, and what holds where nothing is said. */
export type Bounds = readonly [min: number, max: number, fallback: number];

const CALLS = 100_000_000;

/** Of the numbers that the environment and the module's options set alike. */
export const BOUNDS = {
  webhooksPerUser: [1, 1_000_000, 100],
  rateLimitPerMinute: [0, CALLS, 600],
  notificationRateLimitPerMinute: [0, CALLS, 0],
  unauthenticatedRateLimitPerMinute: [0, CALLS, 600],
  timeoutMs: [1000, 30_000, 15_000],
  concurrency: [1, 10_000, 256],
  webhookConcurrency: [1, 1000, 10],
  instanceTimeoutSeconds: [3, 600, 45],
} as const satisfies Record<string, Bounds>;

/** Of the schedule of retries: how many pauses at most, how long one may be, and the pauses unless given. */
export const MAX_PAUSES = 50;
export const MAX_PAUSE_SECONDS = 604_800;
export const RETRY_SCHEDULE_MS = [5, 300, 1800, 7200, 18_000, 36_000, 36_000].map(
  (seconds) => seconds * 1000,
);

/** The entries of a comma separated list. */
export const split = (text: string) => text.split(',').map((entry) => entry.trim());
