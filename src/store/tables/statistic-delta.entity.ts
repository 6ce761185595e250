import { EntitySchema } from 'typeorm';
import type { Columns } from '../columns.js';

/**
 * A row of `webhook_statistic_delta`: what one settlement adds to the statistics, written in its own transaction and added to
 * `webhook_statistic` soon afterwards.
 */
export class StatisticDeltaEntity {
  /** UUIDv7. */
  id: string;
  /** JSON. */
  counts: string;
}

export const statisticDeltaSchema = (column: Columns) =>
  new EntitySchema<StatisticDeltaEntity>({
    name: 'StatisticDeltaEntity',
    target: StatisticDeltaEntity,
    tableName: 'webhook_statistic_delta',
    columns: {
      id: { ...column.ascii(36), primary: true },
      counts: column.longText(),
    },
  });
