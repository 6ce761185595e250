import { EntitySchema } from 'typeorm';
import type { Columns } from '../columns.js';

/** A row of `webhook_task`: background work that one instance at a time does for all. */
export class TaskEntity {
  name: string;
  /** The instance that does it; empty if none does. */
  heldBy: string;
  /** How far it has come, in words of its own. */
  position: string;
}

export const taskSchema = (column: Columns) =>
  new EntitySchema<TaskEntity>({
    name: 'TaskEntity',
    target: TaskEntity,
    tableName: 'webhook_task',
    columns: {
      name: { ...column.ascii(32), primary: true },
      heldBy: { ...column.fixedAscii(36), name: 'held_by', default: '' },
      position: { ...column.ascii(64), default: '' },
    },
  });
