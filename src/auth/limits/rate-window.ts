import { Problem } from '../../common/problem.js';

/** Calls are counted in windows of a minute, by the clock. */
export const WINDOW_MS = 60_000;

/** When the window began that `now` is in; epoch milliseconds. */
export const windowStartAt = (now: number) => now - (now % WINDOW_MS);

/** Whole seconds until it is over, 1 at least. */
export const secondsLeft = (windowStart: number, now: number) =>
  Math.max(1, Math.ceil((windowStart + WINDOW_MS - now) / 1000));

/** 429. @param seconds until it is worth trying again. */
export const rateLimited = (what: string, seconds: number) =>
  new Problem(429, 'rate_limited', `Too many calls ${what}; try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
