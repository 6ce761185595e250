import { EntitySchema } from 'typeorm';
import type { Columns } from '../database/columns.js';

/** A row of `webhook_urgent_trigger`: the mark of a trigger that was asked for by hand, until it is sent. */
export class UrgentTriggerEntity {
  /** Of the trigger. */
  id: string;
}

export const urgentTriggerSchema = (column: Columns) =>
  new EntitySchema<UrgentTriggerEntity>({
    name: 'UrgentTriggerEntity',
    target: UrgentTriggerEntity,
    tableName: 'webhook_urgent_trigger',
    columns: { id: { ...column.ascii(36), primary: true } },
  });
