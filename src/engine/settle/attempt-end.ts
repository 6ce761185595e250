import type { Verdict } from '../queue/breaker.js';
import type { LAPSED, Sent } from '../send/sender.js';
import { judge, verdictOn } from './judgement.js';
import { retryAfterMs } from './retry-schedule.js';

/** What became of a trigger that was to be sent. Its queue goes by it, and its settlement. */
export interface AttemptEnd {
  /** Null if the trigger is not wanted any more; an error if no attempt could be made. */
  result: Sent | typeof LAPSED | { error: unknown } | null;
  /** On the receiver; null if no request was made. */
  verdict: Verdict;
  /** For how long the receiver asked to be left alone, in milliseconds; 0 if it did not. */
  pauseMs: number;
}

/** @param now by the wall clock, in epoch milliseconds. */
export function attemptEnd(result: AttemptEnd['result'], now: number): AttemptEnd {
  if (result === null || 'error' in result || result.attempt.request === null)
    return { result, verdict: null, pauseMs: 0 };
  const { exchange } = result.attempt;
  const verdict = verdictOn(exchange);
  // Only a busy receiver's `Retry-After` counts.
  const pauseMs = verdict === 'busy' ? (retryAfterMs(judge(exchange).retryAfter, now) ?? 0) : 0;
  return { result, verdict, pauseMs };
}
