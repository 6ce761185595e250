import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * A row of `webhook_overdue`: a notification past its retention that retention has passed over, nearly always because one
 * of its triggers was still to be delivered. Retention examines these again, and never again at all the others.
 */
export class OverdueEntity {
  /** The notification's id. */
  id: string;
}

export const overdueSchema = (column: Columns) =>
  new EntitySchema<OverdueEntity>({
    name: 'OverdueEntity',
    target: OverdueEntity,
    tableName: 'webhook_overdue',
    columns: { id: { ...column.ascii(36), primary: true } },
  });
