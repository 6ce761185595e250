import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_idempotency`: a call made with an idempotency key, and its result. */
export class IdempotencyEntity {
  /** SHA-256 of the user, the operation and the key. */
  hash: string;
  /** SHA-256 of the body: reusing the key with another body is a mistake. */
  requestHash: string;
  /** The id of the notification or webhook that the call created. */
  subjectId: string;
  /** The answer, encrypted; null if it can be read again from what the call created. */
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
      sealedAnswer: { ...column.longText(), name: 'sealed_answer', nullable: true },
      createdAt: { ...column.time(), name: 'created_at' },
    },
    indices: [{ name: 'webhook_idempotency_age', columns: ['createdAt'] }],
  });
