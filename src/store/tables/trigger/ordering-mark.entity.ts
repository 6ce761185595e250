import { Column, Table } from '../../table.js';

/** A row of `webhook_ordering_mark`: something happened to a trigger, and its group has to be reconciled. */
@Table('webhook_ordering_mark')
export class OrderingMarkEntity {
  @Column.serial({ primary: true, generated: 'increment' }) id: number;
  @Column.ascii(36) triggerId: string;
}
