import { Column, Table } from '../table.js';

/** A row of `webhook_task`: background work that one instance at a time does for all. */
@Table('webhook_task')
export class TaskEntity {
  @Column.ascii(32, { primary: true }) name: string;
  /** The instance that does it; empty if none does. */
  @Column.fixedAscii(36, { default: '' }) heldBy: string;
  /** How far it has come, in words of its own. */
  @Column.ascii(64, { default: '' }) position: string;
}
