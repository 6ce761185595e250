import type { Verdict } from '../queue/breaker.js';
import type { Sent } from '../send/sender.js';
import { judge, verdictOn } from './judgement.js';
import { retryAfterMs } from './retry-schedule.js';

/** How sending a trigger ended: null if it is not wanted any more, an error if no attempt could be made. */
export type SendResult = Sent | { error: unknown } | null;

/** The verdict on the receiver; null if no request was made. */
export function verdictOf(result: SendResult): Verdict {
  if (result === null || 'error' in result || result.attempt.request === null) return null;
  return verdictOn(result.attempt.exchange);
}

/** For how long the receiver asked to be left alone, in milliseconds; 0 if it did not. */
export function pauseAskedMs(result: SendResult, now: number): number {
  if (result === null || 'error' in result) return 0;
  return retryAfterMs(judge(result.attempt.exchange).retryAfter, now) ?? 0;
}
