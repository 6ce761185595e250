import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_session`: a browser's session, or the link that opens one. */
export class SessionEntity {
  id: string;
  /** The API key that it acts for. */
  keyId: string;
  /** SHA-256 of the link's code, hexadecimal; null once the session is open. */
  code: string | null;
  /** Epoch milliseconds. */
  expiresAt: number;
}

export const sessionSchema = (column: Columns) =>
  new EntitySchema<SessionEntity>({
    name: 'SessionEntity',
    target: SessionEntity,
    tableName: 'webhook_session',
    columns: {
      id: { ...column.ascii(36), primary: true },
      keyId: { ...column.ascii(36), name: 'key_id' },
      code: { ...column.ascii(64), nullable: true },
      expiresAt: { ...column.time(), name: 'expires_at' },
    },
    indices: [
      { name: 'webhook_session_code', columns: ['code'], unique: true },
      { name: 'webhook_session_key', columns: ['keyId', 'id'] },
      { name: 'webhook_session_end', columns: ['expiresAt'] },
    ],
  });
