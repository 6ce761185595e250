import { Column, Table } from '../../table.js';

/** What may change: a trigger, or the list of notifications, to which one was added. */
export type ChangeKind = 'trigger' | 'notification';

/**
 * A row of `webhook_change`: something happened to a trigger, or a notification was accepted. Rows are written only while
 * somebody watches.
 */
@Table('webhook_change')
export class ChangeEntity {
  @Column.serial({ primary: true, generated: 'increment' }) id: number;
  @Column.ascii(12) kind: ChangeKind;
  @Column.ascii(36) subjectId: string;
}
