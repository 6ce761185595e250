import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_pace`: up to when the processes have reserved start times for a webhook's attempts. */
export class PaceEntity {
  webhookId: string;
  /** By the database's clock, in microseconds since the Unix epoch. */
  nextAt: number;
}

export const paceSchema = (column: Columns) =>
  new EntitySchema<PaceEntity>({
    name: 'PaceEntity',
    target: PaceEntity,
    tableName: 'webhook_pace',
    columns: {
      webhookId: { ...column.ascii(36), name: 'webhook_id', primary: true },
      nextAt: { ...column.time(), name: 'next_at' },
    },
  });
