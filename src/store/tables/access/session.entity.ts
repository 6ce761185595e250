import { Column, Table } from '../../table.js';

/** A row of `webhook_session`: a browser's session, or the link that opens one. */
@Table('webhook_session', {
  indices: [
    { name: 'webhook_session_code', columns: ['code'], unique: true },
    { name: 'webhook_session_key', columns: ['keyId', 'id'] },
    { name: 'webhook_session_end', columns: ['expiresAt'] },
  ],
})
export class SessionEntity {
  @Column.ascii(36, { primary: true }) id: string;
  /** The API key that it acts for. */
  @Column.ascii(36) keyId: string;
  /** SHA-256 of the link's code, hexadecimal; null once the session is open. */
  @Column.ascii(64, { nullable: true }) code: string | null;
  /** Epoch milliseconds. */
  @Column.time() expiresAt: number;
}
