import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_urgent_trigger`: marks a trigger that was requested manually, until it is sent. */
export class UrgentTriggerEntity {
  /** The trigger's id. */
  id: string;
}

export const urgentTriggerSchema = (column: Columns) =>
  new EntitySchema<UrgentTriggerEntity>({
    name: 'UrgentTriggerEntity',
    target: UrgentTriggerEntity,
    tableName: 'webhook_urgent_trigger',
    columns: { id: { ...column.ascii(36), primary: true } },
  });
