import { Column, Table } from '../../table.js';

/** A row of `webhook_request_head`: see {@link RequestHead}. */
@Table('webhook_request_head')
export class RequestHeadEntity {
  /** A keyed hash of the webhook's id and the content, made with the encryption key. */
  @Column.ascii(22, { primary: true }) id: string;
  /** The webhook whose requests share this head. */
  @Column.ascii(36) webhookId: string;
  /** A {@link RequestHead} as JSON, encrypted. */
  @Column.text() sealedHead: string;
  /** When it was last stored; a head in use is stored again from time to time. Epoch milliseconds. */
  @Column.time() storedAt: number;
}
