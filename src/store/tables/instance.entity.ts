import { EntitySchema } from 'typeorm';
import type { Columns } from '../columns.js';

/** A row of `webhook_instance`: a running process. Its leases hold as long as its heartbeat is recent. */
export class InstanceEntity {
  id: string;
  startedAt: number;
  /** By the database's clock. Epoch milliseconds; {@link REPLACED} once another process has the name. */
  heartbeatAt: number;
  /** Which process of which machine it is; null if that is not known. */
  process: string | null;
  /** Whoever starts with this name replaces this process; null for none. */
  name: string | null;
}

/** The last heartbeat of a process that was replaced: it can send no other. */
export const REPLACED = -1;

export const instanceSchema = (column: Columns) =>
  new EntitySchema<InstanceEntity>({
    name: 'InstanceEntity',
    target: InstanceEntity,
    tableName: 'webhook_instance',
    columns: {
      id: { ...column.ascii(36), primary: true },
      startedAt: { ...column.time(), name: 'started_at' },
      heartbeatAt: { ...column.time(), name: 'heartbeat_at' },
      process: { ...column.ascii(80), nullable: true },
      name: { ...column.ascii(64), nullable: true },
    },
    indices: [{ name: 'webhook_instance_name', columns: ['name'], unique: true }],
  });
