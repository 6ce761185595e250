import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_request_head`: see {@link RequestHead}. */
export class RequestHeadEntity {
  /** A keyed hash of the webhook's id and the content, made with the encryption key. */
  id: string;
  /** The webhook whose requests share this head. */
  webhookId: string;
  /** A {@link RequestHead} as JSON, encrypted. */
  sealedHead: string;
  /** When it was last stored; a head in use is stored again from time to time. Epoch milliseconds. */
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
