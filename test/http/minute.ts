import type { Settings } from '../../src/platform/config/settings.js';

export const MINUTE = 60_000;

/** Settings with no limits except the given ones. */
export const limits = (given: Partial<Settings>) =>
  ({
    rateLimitPerMinute: 0,
    notificationRateLimitPerMinute: 0,
    unauthenticatedRateLimitPerMinute: 0,
    ...given,
  }) as Settings;
