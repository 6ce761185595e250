import type { Scope } from '../platform/access/scope.js';
import { toDateTime } from '../platform/json/json-time.js';
import { type ApiKeyEntity, scopesOf } from '../store/tables/access/api-key.entity.js';

/** An API key, never the key itself. */
export interface ApiKey {
  /** UUIDv7. */
  id: string;
  /** The user that calls with this key act for; 1 to 128 characters. */
  userId: string;
  /** What calls with it may do. */
  scopes: Scope[];
  /** At most 128 characters. */
  name: string | null;
  /** RFC 3339, UTC, milliseconds. */
  createdAt: string;
  /** Null until the first use; precise to a minute. RFC 3339, UTC, milliseconds. */
  lastUsedAt: string | null;
}

/** A new API key, which is shown this once. */
export interface CreatedApiKey extends ApiKey {
  /** `whk_` and 43 base64url characters. Only its hash is stored. */
  key: string;
}

/** What services answer for a stored API key. */
export const apiKeyOf = (row: ApiKeyEntity): ApiKey => ({
  id: row.id,
  userId: row.userId,
  scopes: scopesOf(row),
  name: row.name,
  createdAt: toDateTime(row.createdAt),
  lastUsedAt: row.lastUsedAt === null ? null : toDateTime(row.lastUsedAt),
});
