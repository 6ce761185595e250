import { EntitySchema } from 'typeorm';
import { SCOPES, type Scope } from '../../../platform/access/scope.js';
import type { Columns } from '../../columns.js';

/** A row of `webhook_api_key`. The key itself is never stored. */
export class ApiKeyEntity {
  id: string;
  userId: string;
  name: string | null;
  /** Space separated. */
  scopes: string;
  /** SHA-256 of the key, hexadecimal. */
  hash: string;
  createdAt: number;
  lastUsedAt: number | null;
}

/** The scopes of a row. What is none, as somebody changed the column, allows nothing. */
export const scopesOf = ({ scopes }: Pick<ApiKeyEntity, 'scopes'>): Scope[] =>
  scopes.split(' ').filter((scope): scope is Scope => SCOPES.includes(scope as Scope));

/** Whether a key moves with its user. An admin's is for all users of this cell, and stays. */
export const isOfUser = ({ scopes }: Pick<ApiKeyEntity, 'scopes'>) => !scopes.split(' ').includes('admin');

export const apiKeySchema = (column: Columns) =>
  new EntitySchema<ApiKeyEntity>({
    name: 'ApiKeyEntity',
    target: ApiKeyEntity,
    tableName: 'webhook_api_key',
    columns: {
      id: { ...column.ascii(36), primary: true },
      userId: { ...column.unicode(128), name: 'user_id' },
      name: { ...column.unicode(128), nullable: true },
      scopes: column.ascii(128),
      hash: column.ascii(64),
      createdAt: { ...column.time(), name: 'created_at' },
      lastUsedAt: { ...column.time(), name: 'last_used_at', nullable: true },
    },
    indices: [{ name: 'webhook_api_key_hash', columns: ['hash'], unique: true }],
  });
