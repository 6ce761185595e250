import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * A row of `webhook_line_entry`: the place of an undelivered trigger in its line. Only webhooks with `ordering` or `coalesce`
 * have lines.
 */
export class LineEntryEntity {
  triggerId: string;
  /** The line: a hash of what its triggers have in common, their webhook first of all. */
  line: string;
  /** The notification's id: a line is in the order of these. */
  place: string;
  /** A hash of what `coalesce` compares: of several triggers with the same topic only the newest is sent. Null without it. */
  topic: string | null;
  /** When it is due once it gets the turn, if that is later: the turn was taken from it between attempts. Queue time. */
  dueAt: number;
}

export const lineEntrySchema = (column: Columns) =>
  new EntitySchema<LineEntryEntity>({
    name: 'LineEntryEntity',
    target: LineEntryEntity,
    tableName: 'webhook_line_entry',
    columns: {
      triggerId: { ...column.ascii(36), name: 'trigger_id', primary: true },
      line: column.ascii(43),
      place: column.ascii(36),
      topic: { ...column.ascii(43), nullable: true },
      dueAt: { ...column.time(), name: 'due_at', default: 0 },
    },
    indices: [
      { name: 'webhook_line_entry_place', columns: ['line', 'place'] },
      { name: 'webhook_line_entry_topic', columns: ['topic', 'place'] },
    ],
  });
