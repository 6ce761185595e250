import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * The row of `webhook_watch`: whether changes are noted. Times are of the database's clock, in epoch milliseconds, so that the
 * clocks of processes do not matter.
 */
export class WatchEntity {
  /** There is one row, `changes`. */
  name: string;
  /** Another one each time that watching begins anew: what happened in between was noted nowhere. */
  epoch: string;
  sinceAt: number;
  /** Moved on while streams are open. */
  expiresAt: number;
  /** Changes up to this id have been removed. */
  prunedId: number;
}

export const watchSchema = (column: Columns) =>
  new EntitySchema<WatchEntity>({
    name: 'WatchEntity',
    target: WatchEntity,
    tableName: 'webhook_watch',
    columns: {
      name: { ...column.ascii(12), primary: true },
      epoch: column.ascii(36),
      sinceAt: { ...column.time(), name: 'since_at' },
      expiresAt: { ...column.time(), name: 'expires_at' },
      prunedId: { ...column.time(), name: 'pruned_id' },
    },
  });
