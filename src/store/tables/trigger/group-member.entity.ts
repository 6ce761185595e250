import { Column, Table } from '../../table.js';

/**
 * A row of `webhook_group_member`: the position of an undelivered trigger in its group. Only webhooks with `ordering` or `coalesce`
 * have groups.
 */
@Table('webhook_group_member', {
  indices: [
    { name: 'webhook_group_member_position', columns: ['orderingKey', 'position'] },
    { name: 'webhook_group_member_topic', columns: ['topic', 'position'] },
  ],
})
export class GroupMemberEntity {
  @Column.ascii(36, { primary: true }) triggerId: string;
  /** A hash of what the triggers of the group have in common, their webhook first of all. */
  @Column.ascii(43) orderingKey: string;
  /** The notification's id: a group is in the order of these. */
  @Column.ascii(36) position: string;
  /** A hash of what `coalesce` compares: of several triggers with the same topic only the newest is sent. Null without it. */
  @Column.ascii(43, { nullable: true }) topic: string | null;
  /** When it is due once it is the head, if that is later: it was blocked between attempts. Queue time. */
  @Column.time({ default: 0 }) dueAt: number;
}
