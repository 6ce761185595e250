import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_line_mark`: something happened to a trigger, and its line has to be put right. */
export class LineMarkEntity {
  id: number;
  triggerId: string;
}

export const lineMarkSchema = (column: Columns) =>
  new EntitySchema<LineMarkEntity>({
    name: 'LineMarkEntity',
    target: LineMarkEntity,
    tableName: 'webhook_line_mark',
    columns: {
      id: { ...column.serial(), primary: true, generated: 'increment' },
      triggerId: { ...column.ascii(36), name: 'trigger_id' },
    },
  });
