import { Column, Table } from '../../table.js';

/** A row of `webhook_encryption_key`: proves which key an id belongs to, without telling it. */
@Table('webhook_encryption_key')
export class EncryptionKeyEntity {
  /** The key's id. */
  @Column.ascii(32, { primary: true }) id: string;
  /** The empty text, sealed with the key. */
  @Column.ascii(128) sealedCheck: string;
}
