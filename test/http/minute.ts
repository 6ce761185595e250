import type { Clock } from '../../src/common/clock.js';
import type { Settings } from '../../src/config/settings.js';
import { until } from '../support/until.js';

export const MINUTE = 60_000;

const minute = () => Math.floor(Date.now() / MINUTE);

/** Runs it again where a minute ended in between, and with it what is counted by the minute. */
export function withinMinute<T>(work: () => Promise<T>): Promise<NonNullable<T>> {
  return until(
    async () => {
      const start = minute();
      const result = await work();
      return minute() === start ? result : null;
    },
    { withinMs: 25_000 },
  );
}

/** Time that only the test moves. */
export class StillClock implements Clock {
  constructor(private time = 1_795_219_200_000) {}
  now = () => this.time;
  monotonic = () => this.time;
  after = () => () => {};
  pass(ms: number): void {
    this.time += ms;
  }
}

/** No limits but these. */
export const limits = (given: Partial<Settings>) =>
  ({
    rateLimitPerMinute: 0,
    notificationRateLimitPerMinute: 0,
    unauthenticatedRateLimitPerMinute: 0,
    ...given,
  }) as Settings;
