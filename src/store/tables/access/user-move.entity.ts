import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * `here`: like a user without a row; `leaving`: exported, so the webhooks must not change; `closing`: nothing may be reported
 * any more; `gone`: removed from this database.
 */
export type MoveState = 'here' | 'leaving' | 'closing' | 'gone';

/** A row of `webhook_user_move`: a user who has moved between this database and that of another cell, or is moving. */
export class UserMoveEntity {
  userId: string;
  state: MoveState;
  /** The move that this user last left by; null if there was none. */
  departure: string | null;
  /** The move that this user last arrived by. */
  arrival: string | null;
  /** Rises over all rows with each change, so that processes read what is new. */
  version: number;
  /** Epoch milliseconds. */
  changedAt: number;
}

export const userMoveSchema = (column: Columns) =>
  new EntitySchema<UserMoveEntity>({
    name: 'UserMoveEntity',
    target: UserMoveEntity,
    tableName: 'webhook_user_move',
    columns: {
      userId: { ...column.unicode(128), name: 'user_id', primary: true },
      state: column.ascii(8),
      departure: { ...column.ascii(36), nullable: true },
      arrival: { ...column.ascii(36), nullable: true },
      version: column.integer(),
      changedAt: { ...column.time(), name: 'changed_at' },
    },
    indices: [{ name: 'webhook_user_move_version', columns: ['version'] }],
  });
