import { Column, Table } from '../../table.js';

/** A row of `webhook_group_head`: the one trigger of a group that may be sent. The primary key lets a group have one. */
@Table('webhook_group_head')
export class GroupHeadEntity {
  @Column.ascii(43, { primary: true }) orderingKey: string;
  @Column.fixedAscii(36) triggerId: string;
  /** Makes each lock a change, so that two nodes of a cluster that lock the group at once conflict. */
  @Column.integer({ default: 0 }) writes: number;
}
