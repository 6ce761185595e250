import { Column, Table } from '../../table.js';

/** A row of `webhook_revoked_key`: an API key that was deleted, and may not come back by the environment. */
@Table('webhook_revoked_key')
export class RevokedKeyEntity {
  /** SHA-256 of the key, hexadecimal. */
  @Column.ascii(64, { primary: true }) hash: string;
  /** Epoch milliseconds. */
  @Column.time() revokedAt: number;
}
