import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import type { Judgement } from './judgement.js';
import { nextAttemptDelayMs, retryAfterMs } from './retry-schedule.js';

interface Pace {
  /** The webhook's pause after the first, second … failure, in seconds. */
  scheduleSeconds: readonly number[];
  nowMs: number;
}

/**
 * Whether a trigger is attempted again after an attempt, and when: by the webhook's schedule, and not before the receiver wishes it
 * by `Retry-After`.
 *
 * @param number of the attempt, from 1 on.
 * @returns milliseconds; null if there is no further attempt: it succeeded, the answer is final, it was a probe, or the schedule is
 * used up.
 */
export function delayBeforeNext(
  { isProbe, scheduleOffset }: Pick<LeasedTrigger, 'isProbe' | 'scheduleOffset'>,
  number: number,
  { error, isFinal, retryAfter }: Judgement,
  { scheduleSeconds, nowMs }: Pace,
): number | null {
  if (error === null || isFinal || isProbe) return null;
  const delay = nextAttemptDelayMs(number - scheduleOffset, scheduleSeconds, Math.random);
  return delay === null ? null : Math.max(delay, retryAfterMs(retryAfter, nowMs) ?? 0);
}

/** @param delay before the next attempt, null if there is none. */
export function statusAfter({ error }: Judgement, delay: number | null): TriggerStatus {
  if (error === null) return 'SUCCEEDED';
  return delay === null ? 'FAILED' : 'PENDING';
}
