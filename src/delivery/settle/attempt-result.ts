import type { Insert } from '../../database/insert.js';
import { deltasOf } from '../../statistics/delta.js';
import { ATTEMPT_FIELDS, type AttemptEntity } from '../../trigger/attempt/attempt.entity.js';
import type { Missed } from '../../trigger/cancel/unwanted-triggers.repository.js';
import { marksOf } from '../../trigger/line/line-mark.repository.js';
import type { TriggerStatus } from '../../trigger/trigger.entity.js';
import type { NewNotice } from '../report/notice.repository.js';

/** The result of one attempt: its row, and what it does to its trigger. Times are epoch milliseconds. */
export interface AttemptResult extends Omit<AttemptEntity, 'triggerId'> {
  /** Of the trigger. */
  id: string;
  userId: string;
  webhookId: string;
  eventKind: string;
  /** Null for a test. */
  subscriptionId: string | null;
  /** The lease under which the attempt was made; under any other the result does not count. */
  lease: number;
  /** Of the trigger, after this attempt. */
  status: TriggerStatus;
  nextAttemptAt: number | null;
  /** Whether the trigger has failed for good by this attempt. */
  exhausted: boolean;
  /**
   * The notification, if the trigger has failed for good and has to come back once its webhook is disabled as failing. What this
   * process knows of the webhook's failures does not count: another one may have begun to count them anew meanwhile.
   */
  missed: string | null;
  /** Of the trigger, after this attempt: whether it has been `FAILED` and has not succeeded since. */
  hasFailed: boolean;
  /** Whether the trigger stands in a line. */
  lined: boolean;
  /** What the user's other webhooks are to be told of it. */
  notice: NewNotice | null;
  /** What it counts as: the HTTP status, or the error's code where there was none. */
  outcome: string;
}

export const isWaiting = ({ nextAttemptAt }: AttemptResult) => nextAttemptAt !== null;

export const isMissed = (result: AttemptResult): result is AttemptResult & Missed => result.missed !== null;

/** The webhooks' rows that storing these results locks. */
export const webhooksOf = (results: AttemptResult[]) => [
  ...new Set(results.flatMap((result) => (locksWebhook(result) ? result.webhookId : []))),
];

/** The events' rows that storing these results locks. */
export const eventsOf = (results: AttemptResult[]) => [...new Set(results.flatMap(eventOf))];

const eventOf = (result: AttemptResult) => (isWaiting(result) ? (result.subscriptionId ?? []) : []);

const locksWebhook = (result: AttemptResult) => isWaiting(result) || isMissed(result);

/** The keys of the rows that storing a result changes or locks. */
export const rowsOf = (result: AttemptResult) =>
  [result.id, locksWebhook(result) ? result.webhookId : [], eventOf(result)].flat();

export const latestEndOf = (results: AttemptResult[]) => Math.max(0, ...results.map(({ endAt }) => endAt));

/** When the trigger ended; 0 while it waits for another attempt. */
export const endOf = ({ nextAttemptAt, endAt }: AttemptResult) => (nextAttemptAt === null ? endAt : 0);

/**
 * The result without anything the receiver sent, so that the attempt counts even if the database refuses the full
 * result.
 */
export const stripped = (result: AttemptResult): AttemptResult => ({
  ...result,
  response: null,
  responseBody: null,
  errorMessage: result.errorCode === null ? null : 'The details could not be stored.',
  errorDetail: null,
});

export const ATTEMPT_COLUMNS = ATTEMPT_FIELDS.map(([, column]) => column);

/** In the order of {@link ATTEMPT_COLUMNS}. */
const toRow = (result: AttemptResult) =>
  ATTEMPT_FIELDS.map(([property]) => (property === 'triggerId' ? result.id : result[property]));

export const attemptsOf = (results: AttemptResult[]): Insert => ({
  table: 'webhook_attempt',
  columns: ATTEMPT_COLUMNS,
  rows: results.map(toRow),
});

/** Marks of the lines that the results' triggers stand in. */
export const lineMarksOf = (results: AttemptResult[]): Insert =>
  marksOf(results.filter(({ lined }) => lined).map(({ id }) => id));

/** What results add to the statistics, one row for each of the lists. */
export const countsOf = (lists: AttemptResult[][]): Insert => deltasOf(lists);
