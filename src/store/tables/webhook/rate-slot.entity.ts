import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_rate_slot`: up to when the processes have reserved start times for a webhook's attempts. */
export class RateSlotEntity {
  webhookId: string;
  /** By the database's clock, in microseconds since the Unix epoch. */
  nextAt: number;
}

export const rateSlotSchema = (column: Columns) =>
  new EntitySchema<RateSlotEntity>({
    name: 'RateSlotEntity',
    target: RateSlotEntity,
    tableName: 'webhook_rate_slot',
    columns: {
      webhookId: { ...column.ascii(36), name: 'webhook_id', primary: true },
      nextAt: { ...column.time(), name: 'next_at' },
    },
  });
