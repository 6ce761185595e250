import { EntitySchema } from 'typeorm';
import type { Columns } from '../../database/columns.js';

/** A row of `webhook_instance`: a running process. Its leases hold as long as its heartbeat is recent. */
export class InstanceEntity {
  id: string;
  startedAt: number;
  /** By the database's clock. Epoch milliseconds. */
  heartbeatAt: number;
}

export const instanceSchema = (column: Columns) =>
  new EntitySchema<InstanceEntity>({
    name: 'InstanceEntity',
    target: InstanceEntity,
    tableName: 'webhook_instance',
    columns: {
      id: { ...column.ascii(36), primary: true },
      startedAt: { ...column.time(), name: 'started_at' },
      heartbeatAt: { ...column.time(), name: 'heartbeat_at' },
    },
  });
