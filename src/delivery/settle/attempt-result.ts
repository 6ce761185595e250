import type { Insert } from '../../database/database.js';
import type { TriggerStatus } from '../../trigger/trigger.entity.js';

/** The result of one attempt, as it is stored. Times are epoch milliseconds. */
export interface AttemptResult {
  id: string;
  webhookId: string;
  /** Null for a test. */
  subscriptionId: string | null;
  /** The lease under which the attempt was made; under another one the result counts for nothing. */
  lease: number;
  /** The attempt's number. */
  number: number;
  status: TriggerStatus;
  beginAt: number;
  endAt: number;
  nextAttemptAt: number | null;
  /** Null, both, where no request was made. */
  requestHead: string | null;
  request: string | null;
  response: string | null;
  responseBody: string | null;
  errorCode: string | null;
  errorMessage: string | null;
  phases: string;
}

export const isWaiting = ({ nextAttemptAt }: AttemptResult) => nextAttemptAt !== null;

/** The end of the last attempt; a trigger that waits for another one has not ended. */
export const endOf = ({ nextAttemptAt, endAt }: AttemptResult) => (nextAttemptAt === null ? endAt : 0);

export const ATTEMPT_COLUMNS = [
  'trigger_id',
  'number',
  'begin_at',
  'end_at',
  'phases',
  'request_head',
  'request',
  'response',
  'response_body',
  'error_code',
  'error_message',
];

const toAttempt = (s: AttemptResult) => [
  s.id,
  s.number,
  s.beginAt,
  s.endAt,
  s.phases,
  s.requestHead,
  s.request,
  s.response,
  s.responseBody,
  s.errorCode,
  s.errorMessage,
];

/** The same without what came from outside: what counts of an attempt that the database does not take whole. */
export const stripped = (s: AttemptResult): AttemptResult => ({
  ...s,
  response: null,
  responseBody: null,
  errorMessage: s.errorCode === null ? null : 'The details could not be stored.',
});

/** The rows of the attempts. */
export const attemptsOf = (results: AttemptResult[]): Insert => ({
  table: 'webhook_attempt',
  columns: ATTEMPT_COLUMNS,
  rows: results.map(toAttempt),
});
