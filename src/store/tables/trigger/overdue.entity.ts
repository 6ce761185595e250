import { Column, Table } from '../../table.js';

/**
 * A row of `webhook_overdue`: a notification past its retention that retention has passed over, nearly always because one
 * of its triggers was still to be delivered. Retention examines these again, and never again at all the others.
 */
@Table('webhook_overdue')
export class OverdueEntity {
  /** The notification's id. */
  @Column.ascii(36, { primary: true }) id: string;
}
