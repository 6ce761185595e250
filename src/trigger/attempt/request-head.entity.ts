import { EntitySchema } from 'typeorm';
import type { Columns } from '../../database/columns.js';

/** A row of `webhook_request_head`: see {@link RequestHead}. */
export class RequestHeadEntity {
  /** A tag of the webhook and of its content, made with the encryption key. */
  id: string;
  /** The webhook whose requests it is of. */
  webhookId: string;
  /** JSON, a {@link RequestHead}, encrypted. */
  sealedHead: string;
  /** When it was last to be stored. Epoch milliseconds. */
  storedAt: number;
}

export const requestHeadSchema = (column: Columns) =>
  new EntitySchema<RequestHeadEntity>({
    name: 'RequestHeadEntity',
    target: RequestHeadEntity,
    tableName: 'webhook_request_head',
    columns: {
      id: { ...column.ascii(22), primary: true },
      webhookId: { ...column.ascii(36), name: 'webhook_id' },
      sealedHead: { ...column.text(), name: 'sealed_head' },
      storedAt: { ...column.time(), name: 'stored_at' },
    },
  });
