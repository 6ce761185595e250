import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import type { AttemptResult } from '../../src/engine/settle/attempt-result.js';

/** The result of a trigger's next attempt: a success of which nothing is kept, but for what is given. */
export const attemptResult = (trigger: LeasedTrigger, more: Partial<AttemptResult> = {}): AttemptResult => ({
  ...trigger,
  userId: 'acme',
  number: trigger.attemptCount + 1,
  status: 'SUCCEEDED',
  outcome: '200',
  beginAt: 0,
  endAt: 0,
  nextAttemptAt: null,
  phases: '{}',
  requestHead: null,
  request: null,
  response: null,
  responseBody: null,
  errorCode: null,
  errorMessage: null,
  errorDetail: null,
  exhausted: false,
  missed: null,
  notice: null,
  ...more,
});
