import type { FirstCall, FirstCalls } from '../../idempotency/idempotency.repository.js';
import type { IdempotencyEntity } from '../../store/tables/access/idempotency.entity.js';
import type { Submission } from './fan-out.js';

/** The first calls of a batch without keys. */
export const NO_KEYS: FirstCalls = new Map();

/** The earlier call that took this submission's key; null if the submission itself did. */
export function firstOf({ call, notification }: Submission, firsts: FirstCalls): FirstCall | null {
  const first = call && firsts.get(call.hash);
  return first && first.subjectId !== notification.id ? first : null;
}

export const keyed = ({ call, notification }: Submission): IdempotencyEntity[] =>
  call
    ? [{ ...call, subjectId: notification.id, sealedAnswer: null, createdAt: notification.triggeredAt }]
    : [];

/** The key of the row that a submission takes, if it has one. */
export const hashesOf = ({ call }: Submission) => (call ? [call.hash] : []);
