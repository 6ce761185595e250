import { ATTEMPT_FIELDS, type AttemptEntity, type Content } from './attempt.entity.js';

const fieldsOf = (...contents: Content[]) => ATTEMPT_FIELDS.filter(([, , holds]) => contents.includes(holds));

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
