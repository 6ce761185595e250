import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_line_turn`: whose turn it is in a line. The primary key lets a line give the turn to one at a time. */
export class LineTurnEntity {
  line: string;
  triggerId: string;
  /** Makes each look a change, so that two nodes of a cluster that look at the line at once conflict. */
  looks: number;
}

export const lineTurnSchema = (column: Columns) =>
  new EntitySchema<LineTurnEntity>({
    name: 'LineTurnEntity',
    target: LineTurnEntity,
    tableName: 'webhook_line_turn',
    columns: {
      line: { ...column.ascii(43), primary: true },
      triggerId: { ...column.fixedAscii(36), name: 'trigger_id' },
      looks: { ...column.integer(), default: 0 },
    },
  });
