import { ATTEMPT_FIELDS, type AttemptEntity } from './attempt.entity.js';

/**
 * Whose words a column of an attempt holds, and so when they go:
 *
 * - `ours`: nothing of a record, nor of a receiver. It stays as long as the row.
 * - `request`: what was sent. It goes with the payload, by retention or erasure.
 * - `answer`: what the receiver sent, which may repeat the request. It goes with the payload, and where a database refuses it.
 * - `detail`: what is known of an error, which may quote the answer. It is erased, and left out where a database refuses it.
 */
type Content = 'ours' | 'request' | 'answer' | 'detail';

/** Of each column: one that is new has to say what it holds. */
const CONTENT: Record<keyof AttemptEntity, Content> = {
  triggerId: 'ours',
  number: 'ours',
  beginAt: 'ours',
  endAt: 'ours',
  phases: 'ours',
  requestHead: 'request',
  request: 'request',
  response: 'answer',
  responseBody: 'answer',
  errorCode: 'ours',
  errorMessage: 'detail',
  cause: 'ours',
  errorDetail: 'detail',
};

const fieldsOf = (...contents: Content[]) =>
  ATTEMPT_FIELDS.filter(([property]) => contents.includes(CONTENT[property]));

const SENT_AND_ANSWERED = fieldsOf('request', 'answer');
const MAY_QUOTE = fieldsOf('request', 'answer', 'detail');

/** SQL behind SET: takes away what belongs to the payload. */
export const WITHOUT_PAYLOAD = SENT_AND_ANSWERED.map(([, column]) => `${column} = NULL`).join(', ');

/** SQL behind SET: takes away all that a record may be quoted in. That there was an error still shows. */
export const ERASED = MAY_QUOTE.map(([property, column]) =>
  property === 'errorMessage'
    ? `${column} = CASE WHEN error_code IS NULL THEN NULL ELSE 'The details were erased.' END`
    : `${column} = NULL`,
).join(', ');

/** SQL: something of an attempt may quote a record. */
export const MAY_HOLD_RECORD = `NOT (${MAY_QUOTE.map(([, column]) => `${column} IS NULL`).join(' AND ')})`;

/** An attempt without anything that the receiver sent. */
export function withoutAnswer<T extends Pick<AttemptEntity, 'errorCode'>>(attempt: T): T {
  const nothing = Object.fromEntries(fieldsOf('answer', 'detail').map(([property]) => [property, null]));
  const errorMessage = attempt.errorCode === null ? null : 'The details could not be stored.';
  return { ...attempt, ...nothing, errorMessage };
}
