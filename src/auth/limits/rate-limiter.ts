import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { isDatabaseUnavailable } from '../../platform/database-error.js';
import { CallBudget } from './call-budget.js';
import { RateLimitRepository } from './rate-limit.repository.js';
import { secondsLeft, WINDOW_MS, windowStartAt } from './rate-window.js';

/**
 * An instance reserves 1/20 of a limit at a time. Other instances may refuse up to that many calls while they are
 * unused.
 */
const CHUNKS = 20;
/** How long past windows are kept: another instance's clock may be behind. */
const KEPT_MS = 5 * WINDOW_MS;

export type RateLimitPolicy = 'management' | 'notification';

/** `headers` are `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers. */
export interface TakenCall {
  allowed: boolean;
  resetSeconds: number;
  headers: Record<string, string>;
}

/** Counts the calls of each client in windows of a minute, over all instances. */
@Injectable()
export class RateLimiter {
  private readonly logger = new Logger('RateLimit');
  private readonly limits: Record<RateLimitPolicy, number>;
  private windowStart = 0;
  private budgets = new Map<string, CallBudget>();

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly repository: RateLimitRepository,
  ) {
    this.limits = {
      management: settings.rateLimitPerMinute,
      notification: settings.notificationRateLimitPerMinute,
    };
  }

  /** @returns null if there is no limit. */
  take(clientId: string, policy: RateLimitPolicy): Promise<TakenCall> | null {
    const limit = this.limits[policy];
    return limit === 0 ? null : this.takeFrom(this.budgetOf(`${policy} ${clientId}`, limit), policy, limit);
  }

  private async takeFrom(budget: CallBudget, policy: RateLimitPolicy, limit: number): Promise<TakenCall> {
    const { windowStart } = this;
    const allowed = await budget.take();
    const resetSeconds = secondsLeft(windowStart, this.clock.now());
    return {
      allowed,
      resetSeconds,
      headers: {
        'RateLimit-Policy': `"${policy}";q=${limit};w=${WINDOW_MS / 1000}`,
        RateLimit: `"${policy}";r=${budget.remaining};t=${resetSeconds}`,
      },
    };
  }

  private budgetOf(client: string, limit: number): CallBudget {
    const windowStart = windowStartAt(this.clock.now());
    if (windowStart !== this.windowStart) this.begin(windowStart);
    let budget = this.budgets.get(client);
    if (!budget) {
      budget = this.newBudget(client, limit);
      this.budgets.set(client, budget);
    }
    return budget;
  }

  private newBudget(client: string, limit: number): CallBudget {
    if (!this.repository.isShared) return new CallBudget(limit, limit, async () => 0);
    const { windowStart } = this;
    const chunk = Math.max(1, Math.floor(limit / CHUNKS));
    return new CallBudget(limit, chunk, async (calls, own) => {
      try {
        return await this.repository.reserve(client, windowStart, calls);
      } catch (error) {
        // While the database is unavailable, the limit applies to this instance alone.
        if (isDatabaseUnavailable(error)) return own;
        throw error;
      }
    });
  }

  private begin(windowStart: number): void {
    this.windowStart = windowStart;
    this.budgets = new Map();
    if (!this.repository.isShared) return;
    this.repository
      .purge(windowStart - KEPT_MS)
      .catch((error: Error) =>
        this.logger.warn(`Could not delete old windows of rate limits: ${error.message}`),
      );
  }
}
