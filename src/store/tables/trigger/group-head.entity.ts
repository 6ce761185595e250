import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_group_head`: the one trigger of a group that may be sent. The primary key lets a group have one. */
export class GroupHeadEntity {
  orderingKey: string;
  triggerId: string;
  /** Makes each lock a change, so that two nodes of a cluster that lock the group at once conflict. */
  writes: number;
}

export const groupHeadSchema = (column: Columns) =>
  new EntitySchema<GroupHeadEntity>({
    name: 'GroupHeadEntity',
    target: GroupHeadEntity,
    tableName: 'webhook_group_head',
    columns: {
      orderingKey: { ...column.ascii(43), name: 'ordering_key', primary: true },
      triggerId: { ...column.fixedAscii(36), name: 'trigger_id' },
      writes: { ...column.integer(), default: 0 },
    },
  });
