import { Column, Table } from '../../table.js';

/** A row of `webhook_rate_slot`: up to when the processes have reserved start times for a webhook's attempts. */
@Table('webhook_rate_slot')
export class RateSlotEntity {
  @Column.ascii(36, { primary: true }) webhookId: string;
  /** By the database's clock, in microseconds since the Unix epoch. */
  @Column.time() nextAt: number;
}
