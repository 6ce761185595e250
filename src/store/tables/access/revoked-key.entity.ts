import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_revoked_key`: an API key that was deleted, and may not come back by the environment. */
export class RevokedKeyEntity {
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  /** Epoch milliseconds. */
  revokedAt: number;
}

export const revokedKeySchema = (column: Columns) =>
  new EntitySchema<RevokedKeyEntity>({
    name: 'RevokedKeyEntity',
    target: RevokedKeyEntity,
    tableName: 'webhook_revoked_key',
    columns: {
      hash: { ...column.ascii(64), primary: true },
      revokedAt: { ...column.time(), name: 'revoked_at' },
    },
  });
