import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * A row of `webhook_cancellation`: a webhook that was switched off, or had events switched off, and whose waiting
 * triggers were too many to cancel at once.
 */
export class CancellationEntity {
  webhookId: string;
  /** Epoch milliseconds. */
  requestedAt: number;
}

export const cancellationSchema = (column: Columns) =>
  new EntitySchema<CancellationEntity>({
    name: 'CancellationEntity',
    target: CancellationEntity,
    tableName: 'webhook_cancellation',
    columns: {
      webhookId: { ...column.ascii(36), name: 'webhook_id', primary: true },
      requestedAt: { ...column.time(), name: 'requested_at' },
    },
  });
