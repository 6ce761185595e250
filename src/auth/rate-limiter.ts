import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { SETTINGS, type Settings } from '../config/settings.js';

const WINDOW_MS = 60_000;

export type RateLimitPolicy = 'management' | 'notification';

/** `headers` are `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers. */
export interface TakenCall {
  allowed: boolean;
  resetSeconds: number;
  headers: Record<string, string>;
}

/** Counts the calls of each client in windows of a minute. */
@Injectable()
export class RateLimiter {
  private readonly limits: Record<RateLimitPolicy, number>;
  private windowStart = 0;
  private calls = new Map<string, number>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.limits = {
      management: settings.rateLimitPerMinute,
      notification: settings.notificationRateLimitPerMinute,
    };
  }

  /** @returns null where there is no limit. */
  take(clientId: string, policy: RateLimitPolicy): TakenCall | null {
    const limit = this.limits[policy];
    if (limit === 0) return null;
    const now = this.clock.now();
    if (now - this.windowStart >= WINDOW_MS) {
      this.windowStart = now - (now % WINDOW_MS);
      this.calls = new Map();
    }
    const key = `${policy} ${clientId}`;
    const count = (this.calls.get(key) ?? 0) + 1;
    this.calls.set(key, count);
    const resetSeconds = Math.max(1, Math.ceil((this.windowStart + WINDOW_MS - now) / 1000));
    return {
      allowed: count <= limit,
      resetSeconds,
      headers: {
        'RateLimit-Policy': `"${policy}";q=${limit};w=${WINDOW_MS / 1000}`,
        RateLimit: `"${policy}";r=${Math.max(0, limit - count)};t=${resetSeconds}`,
      },
    };
  }
}
