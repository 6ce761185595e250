import type { Settings } from '../../src/platform/config/settings.js';
import { until } from '../support/until.js';

export const MINUTE = 60_000;

const minute = () => Math.floor(Date.now() / MINUTE);

/** Runs `work` again if a minute ended meanwhile, because that resets the counts per minute. */
export function withinMinute<T>(work: () => Promise<T>): Promise<NonNullable<T>> {
  return until(async () => {
    const start = minute();
    const result = await work();
    return minute() === start ? result : null;
  });
}

/** Settings with no limits except the given ones. */
export const limits = (given: Partial<Settings>) =>
  ({
    rateLimitPerMinute: 0,
    notificationRateLimitPerMinute: 0,
    unauthenticatedRateLimitPerMinute: 0,
    ...given,
  }) as Settings;
