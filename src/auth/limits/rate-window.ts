import { Problem } from '../../platform/problem.js';

/** Calls are counted in windows of one clock minute. */
export const WINDOW_MS = 60_000;

/** The start of the window that contains `now`; epoch milliseconds. */
export const windowStartAt = (now: number) => now - (now % WINDOW_MS);

/** Whole seconds until the window ends, at least 1. */
export const secondsLeft = (windowStart: number, now: number) =>
  Math.max(1, Math.ceil((windowStart + WINDOW_MS - now) / 1000));

/** A 429 problem. @param seconds until the client may try again. */
export const rateLimited = (what: string, seconds: number) =>
  new Problem(429, 'rate_limited', `Too many calls ${what}; try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
