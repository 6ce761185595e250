import { callDeadline } from '../platform/call.js';
import { databaseUnavailable, type Problem } from '../platform/problem.js';

/**
 * Deadlines are rounded to this, so that all calls share a few of Node's timer lists instead of one per millisecond.
 */
const STEP_MS = 100;
const WAITED = Symbol('waited');

/** A request with the time, in milliseconds, for which its call has already waited. */
export interface TimedRequest {
  [WAITED]?: number;
}

/** Milliseconds that a call may still wait. The time in which its body arrives does not count. */
export function timeLeft(request: TimedRequest): number {
  const left = Math.max(0, callDeadline.ms - (request[WAITED] ?? 0));
  return left - (left % STEP_MS);
}

/**
 * Waits for a part of a call until the call's deadline, which all of its parts share. Of our own, only the database can keep a
 * call waiting for that long.
 *
 * @param late what a call is told whose part is late. @throws it
 */
export function untilDeadline<T>(
  request: TimedRequest,
  work: Promise<T>,
  late: () => Problem = databaseUnavailable,
): Promise<T> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), timeLeft(request));
    const end = () => {
      clearTimeout(timer);
      request[WAITED] = (request[WAITED] ?? 0) + performance.now() - begin;
    };
    work.finally(end).then(resolve, reject);
  });
}
