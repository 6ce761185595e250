import { Column, Table } from '../../table.js';

/**
 * A row of `webhook_cancellation`: a webhook that was switched off, or had events switched off, and whose waiting
 * triggers were too many to cancel at once.
 */
@Table('webhook_cancellation')
export class CancellationEntity {
  @Column.ascii(36, { primary: true }) webhookId: string;
  /** Epoch milliseconds. */
  @Column.time() requestedAt: number;
}
