import { Column, Table } from '../table.js';

/** A row of `webhook_lock`: whoever writes it has the locks whose names have this number. SQLite needs none. */
@Table('webhook_lock')
export class LockEntity {
  @Column.integer({ primary: true }) number: number;
  /** Makes each taking a change, so that two nodes of a cluster that take it at once conflict. */
  @Column.integer() uses: number;
}
