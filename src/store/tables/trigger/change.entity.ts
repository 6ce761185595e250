import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** What may change: a trigger, or the list of notifications, to which one was added. */
export type ChangeKind = 'trigger' | 'notification';

/**
 * A row of `webhook_change`: something happened to a trigger, or a notification was accepted. Rows are written only while
 * somebody watches.
 */
export class ChangeEntity {
  id: number;
  kind: ChangeKind;
  subjectId: string;
}

export const changeSchema = (column: Columns) =>
  new EntitySchema<ChangeEntity>({
    name: 'ChangeEntity',
    target: ChangeEntity,
    tableName: 'webhook_change',
    columns: {
      id: { ...column.serial(), primary: true, generated: 'increment' },
      kind: column.ascii(12),
      subjectId: { ...column.ascii(36), name: 'subject_id' },
    },
  });
