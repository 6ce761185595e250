import { Column, Table } from '../table.js';

/**
 * A row of `webhook_statistic_delta`: what one settlement adds to the statistics, written in its own transaction and added to
 * `webhook_statistic` soon afterwards.
 */
@Table('webhook_statistic_delta')
export class StatisticDeltaEntity {
  /** UUIDv7. */
  @Column.ascii(36, { primary: true }) id: string;
  /** JSON. */
  @Column.longText() counts: string;
}
