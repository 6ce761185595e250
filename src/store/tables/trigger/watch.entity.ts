import { Column, Table } from '../../table.js';

/**
 * The row of `webhook_watch`: whether changes are noted. Times are of the database's clock, in epoch milliseconds, so that the
 * clocks of processes do not matter.
 */
@Table('webhook_watch')
export class WatchEntity {
  /** There is one row, `changes`. */
  @Column.ascii(12, { primary: true }) name: string;
  /** Another one each time that watching begins anew: what happened in between was noted nowhere. */
  @Column.ascii(36) epoch: string;
  @Column.time() sinceAt: number;
  /** Moved on while streams are open. */
  @Column.time() expiresAt: number;
  /** Changes up to this id have been removed. */
  @Column.time() prunedId: number;
}
