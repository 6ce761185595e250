import { Column, Table } from '../../table.js';

/**
 * `here`: like a user without a row; `leaving`: exported, so the webhooks must not change; `closing`: nothing may be reported
 * any more; `gone`: removed from this database.
 */
export type MoveState = 'here' | 'leaving' | 'closing' | 'gone';

/** A row of `webhook_user_move`: a user who has moved between this database and that of another cell, or is moving. */
@Table('webhook_user_move', {
  indices: [{ name: 'webhook_user_move_version', columns: ['version'] }],
})
export class UserMoveEntity {
  @Column.unicode(128, { primary: true }) userId: string;
  @Column.ascii(8) state: MoveState;
  /** The move that this user last left by; null if there was none. */
  @Column.ascii(36, { nullable: true }) departure: string | null;
  /** The move that this user last arrived by. */
  @Column.ascii(36, { nullable: true }) arrival: string | null;
  /** Rises over all rows with each change, so that processes read what is new. */
  @Column.integer() version: number;
  /** Epoch milliseconds. */
  @Column.time() changedAt: number;
}
