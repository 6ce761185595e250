import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_encryption_key`: proves which key an id belongs to, without telling it. */
export class EncryptionKeyEntity {
  /** The key's id. */
  id: string;
  /** The empty text, sealed with the key. */
  sealedCheck: string;
}

export const encryptionKeySchema = (column: Columns) =>
  new EntitySchema<EncryptionKeyEntity>({
    name: 'EncryptionKeyEntity',
    target: EncryptionKeyEntity,
    tableName: 'webhook_encryption_key',
    columns: {
      id: { ...column.ascii(32), primary: true },
      sealedCheck: { ...column.ascii(128), name: 'sealed_check' },
    },
  });
