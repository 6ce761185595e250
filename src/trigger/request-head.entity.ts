import { EntitySchema } from 'typeorm';
import type { Columns } from '../database/columns.js';

/** A row of `webhook_request_head`: see {@link RequestHead}. */
export class RequestHeadEntity {
  /** Of its content. */
  id: string;
  /** JSON: a {@link RequestHead}. */
  head: string;
}

export const requestHeadSchema = (column: Columns) =>
  new EntitySchema<RequestHeadEntity>({
    name: 'RequestHeadEntity',
    target: RequestHeadEntity,
    tableName: 'webhook_request_head',
    columns: {
      id: { ...column.ascii(22), primary: true },
      head: column.text(),
    },
  });
