import { Column, Table } from '../../table.js';

/** A row of `webhook_idempotency`: a call made with an idempotency key, and its result. */
@Table('webhook_idempotency', {
  indices: [{ name: 'webhook_idempotency_age', columns: ['createdAt'] }],
})
export class IdempotencyEntity {
  /** SHA-256 of the user, the operation and the key. */
  @Column.ascii(64, { primary: true }) hash: string;
  /** SHA-256 of the body: reusing the key with another body is a mistake. */
  @Column.ascii(64) requestHash: string;
  /** The id of the notification or webhook that the call created. */
  @Column.ascii(36) subjectId: string;
  /** The answer, encrypted; null if it can be read again from what the call created. */
  @Column.longText({ nullable: true }) sealedAnswer: string | null;
  @Column.time() createdAt: number;
}
