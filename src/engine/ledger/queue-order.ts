import type { Dialect } from '../../store/columns.js';

/** Where a trigger stands in the order of the queue. */
export interface QueueKey {
  /** Epoch milliseconds. */
  dueAt: number;
  id: string;
}

/**
 * SQL for what is pending behind a trigger, in the order of the queue; takes {@link keyParameters}. Both databases read a range of the
 * queue's index for it, also among many triggers that are due at the same time: a condition such as `next_attempt_at >= ?
 * AND (next_attempt_at > ? OR id > ?)` begins at the first of these, whichever comes last.
 */
export const pendingBehind = (dialect: Dialect) => `status = 'PENDING' AND ${compared(dialect, '>', '>')}`;

/** SQL for a trigger itself and what stands before it, in the same way. */
export const upTo = (dialect: Dialect) => compared(dialect, '<', '<=');

export const keyParameters = (dialect: Dialect, { dueAt, id }: QueueKey) =>
  dialect === 'sqlite' ? [dueAt, id] : [dueAt, dueAt, id];

/** SQLite would read the two ranges one after the other and sort what it finds; MySQL does not take a row for a range. */
const compared = (dialect: Dialect, time: string, id: string) =>
  dialect === 'sqlite'
    ? `(next_attempt_at, id) ${id} (?, ?)`
    : `(next_attempt_at ${time} ? OR (next_attempt_at = ? AND id ${id} ?))`;
