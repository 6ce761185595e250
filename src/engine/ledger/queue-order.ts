import type { Sql } from '../../store/sql.js';
import { NEVER_DUE } from './never-due.js';

/** Where a trigger stands in the order of the queue. */
export interface QueueKey {
  /** The time as it is stored. */
  dueAt: number;
  id: string;
}

/** What the queue's index says of a trigger. */
export interface QueueRow {
  id: string;
  next_attempt_at: number | string;
}

export const keyOf = ({ id, next_attempt_at }: QueueRow): QueueKey => ({
  dueAt: Number(next_attempt_at),
  id,
});

/** Stands before all. */
export const QUEUE_START: QueueKey = { dueAt: -NEVER_DUE, id: '' };

export const isBefore = (a: QueueKey, b: QueueKey) =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.id < b.id);

const ORDER: [string, string] = ['next_attempt_at', 'id'];

/**
 * SQL for what is pending behind a trigger, in the order of the queue; takes {@link keyParameters}. Every database reads a range of
 * the queue's index for it, also among many triggers that are due at the same time: a condition such as `next_attempt_at >= ?
 * AND (next_attempt_at > ? OR id > ?)` begins at the first of these, whichever comes last.
 */
export const pendingBehind = (sql: Sql) => `status = 'PENDING' AND ${sql.comparePair(ORDER, '>')}`;

/** SQL for a trigger itself and what stands before it, in the same way. */
export const upTo = (sql: Sql) => sql.comparePair(ORDER, '<=');

export const keyParameters = (sql: Sql, { dueAt, id }: QueueKey) => sql.pairOf(dueAt, id);
