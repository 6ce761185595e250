import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * A row of `webhook_group_member`: the position of an undelivered trigger in its group. Only webhooks with `ordering` or `coalesce`
 * have groups.
 */
export class GroupMemberEntity {
  triggerId: string;
  /** A hash of what the triggers of the group have in common, their webhook first of all. */
  orderingKey: string;
  /** The notification's id: a group is in the order of these. */
  position: string;
  /** A hash of what `coalesce` compares: of several triggers with the same topic only the newest is sent. Null without it. */
  topic: string | null;
  /** When it is due once it is the head, if that is later: it was blocked between attempts. Queue time. */
  dueAt: number;
}

export const groupMemberSchema = (column: Columns) =>
  new EntitySchema<GroupMemberEntity>({
    name: 'GroupMemberEntity',
    target: GroupMemberEntity,
    tableName: 'webhook_group_member',
    columns: {
      triggerId: { ...column.ascii(36), name: 'trigger_id', primary: true },
      orderingKey: { ...column.ascii(43), name: 'ordering_key' },
      position: column.ascii(36),
      topic: { ...column.ascii(43), nullable: true },
      dueAt: { ...column.time(), name: 'due_at', default: 0 },
    },
    indices: [
      { name: 'webhook_group_member_position', columns: ['orderingKey', 'position'] },
      { name: 'webhook_group_member_topic', columns: ['topic', 'position'] },
    ],
  });
