import type { Insert } from '../../store/insert.js';
import { ATTEMPT_FIELDS, type AttemptEntity } from '../../store/tables/trigger/attempt.entity.js';
import { deltasOf } from '../counts/delta.js';
import type { Missed } from '../ledger/cancel/unwanted-triggers.repository.js';
import type { Settled } from '../ledger/settling.js';
import type { NewNotice } from '../report/notice.repository.js';

/** The result of one attempt, as it is stored, and what its trigger becomes. Times are epoch milliseconds. */
export interface AttemptResult extends Settled, Omit<AttemptEntity, 'triggerId'> {
  userId: string;
  webhookId: string;
  eventKind: string;
  /** Null for a test. */
  eventId: string | null;
  /** Whether the trigger has failed for good by this attempt. */
  exhausted: boolean;
  /**
   * The notification, if the trigger has failed for good and has to come back once its webhook is disabled as failing. What this
   * process knows of the webhook's failures does not count: another one may have begun to count them anew meanwhile.
   */
  missed: string | null;
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

const eventOf = (result: AttemptResult) => (isWaiting(result) ? (result.eventId ?? []) : []);

const locksWebhook = (result: AttemptResult) => isWaiting(result) || isMissed(result);

/** The keys of the rows that storing a result changes or locks. */
export const rowsOf = (result: AttemptResult) =>
  [result.id, locksWebhook(result) ? result.webhookId : [], eventOf(result)].flat();

export const latestEndOf = (results: AttemptResult[]) => Math.max(0, ...results.map(({ endAt }) => endAt));

export const ATTEMPT_COLUMNS = ATTEMPT_FIELDS.map(([, column]) => column);

/** In the order of {@link ATTEMPT_COLUMNS}. */
const toRow = (result: AttemptResult) =>
  ATTEMPT_FIELDS.map(([property]) => (property === 'triggerId' ? result.id : result[property]));

export const attemptsOf = (results: AttemptResult[]): Insert => ({
  table: 'webhook_attempt',
  columns: ATTEMPT_COLUMNS,
  rows: results.map(toRow),
});

/** What results add to the statistics, one row for each of the lists. */
export const countsOf = (lists: AttemptResult[][]): Insert => deltasOf(lists);
