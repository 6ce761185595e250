import { EntitySchema } from 'typeorm';
import type { Columns } from '../database/columns.js';

/** A row of `webhook_idempotency`: a call that was made with an idempotency key, and what came of it. */
export class IdempotencyEntity {
  /** Of the user, the operation and the key. */
  hash: string;
  /** Of the body: the same key with another one is a mistake. */
  requestHash: string;
  /** The notification or webhook that the call made. */
  subjectId: string;
  /** The answer, encrypted; null where it can be read again from what the call made. */
  sealedAnswer: string | null;
  createdAt: number;
}

export const idempotencySchema = (column: Columns) =>
  new EntitySchema<IdempotencyEntity>({
    name: 'IdempotencyEntity',
    target: IdempotencyEntity,
    tableName: 'webhook_idempotency',
    columns: {
      hash: { ...column.ascii(64), primary: true },
      requestHash: { ...column.ascii(64), name: 'request_hash' },
      subjectId: { ...column.ascii(36), name: 'subject_id' },
      sealedAnswer: { ...column.text(), name: 'sealed_answer', nullable: true },
      createdAt: { ...column.time(), name: 'created_at' },
    },
    indices: [{ name: 'webhook_idempotency_age', columns: ['createdAt'] }],
  });
