import { hash, randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { newId } from '../common/ids/ids.js';
import { notFound } from '../common/problem.js';
import { Vault } from '../common/secret/vault.js';
import { Cursors, type Page } from '../rest/cursor.js';
import type { Deleted } from '../rest/deleted.js';
import type { PageQuery } from '../rest/input.js';
import type { Principal, Scope } from '../rest/principal.js';
import { parseBody } from '../rest/validation.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import { type ApiKey, apiKeyOf, type CreatedApiKey } from './api-key.js';
import { ApiKeyRepository } from './api-key.repository.js';
import type { Authenticator, IncomingRequest } from './authenticator.js';
import { apiKeyListInput, newApiKeyInput } from './dto/api-key.dto.js';
import { UnauthenticatedCalls } from './limits/unauthenticated-calls.js';

/** `last_used_at` helps to find unused keys. Minute precision is enough and saves a write per call. */
const TOUCH_EVERY_MS = 60_000;

const BEARER = /^Bearer +(whk_[A-Za-z0-9_-]{43})$/i;

/** The fields of a new API key. */
export interface NewApiKey {
  /** The user that calls with this key act for; 1 to 128 characters. */
  userId: string;
  /** At least one. */
  scopes: Scope[];
  /** At most 128 characters. @default null */
  name?: string | null | undefined;
}

/** Which API keys to list. */
export interface ApiKeyQuery extends PageQuery {
  /** Only the keys of this user. */
  userId?: string | undefined;
}

/** API keys: `whk_` + 43 base64url characters. Only their SHA-256 is stored. */
@Injectable()
export class ApiKeyService implements Authenticator {
  readonly hint = 'Send a valid API key as "Authorization: Bearer whk_…".';
  private readonly logger = new Logger('Auth');
  private readonly cursors: Cursors;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly unauthenticated: UnauthenticatedCalls,
    @Inject(CLOCK) private readonly clock: Clock,
    vault: Vault,
  ) {
    this.cursors = new Cursors(vault, 'api-key');
  }

  async authenticate(request: IncomingRequest): Promise<Principal | null> {
    const header = request.headers.authorization;
    const key = typeof header === 'string' ? BEARER.exec(header)?.[1] : undefined;
    // The lookup is by hash, so its duration does not tell how close a guess was.
    const keyHash = key ? hashOf(key) : null;
    this.unauthenticated.admit(request.ip, keyHash);
    const row = keyHash ? await this.keys.findByHash(keyHash) : null;
    if (!row) {
      this.unauthenticated.failed(request.ip, keyHash);
      return null;
    }
    this.unauthenticated.succeeded(row.hash);
    this.touch(row);
    return { userId: row.userId, scopes: row.scopes.split(' ') as Scope[], clientId: row.id };
  }

  /** Makes a key, and answers it this once: it cannot be retrieved again. @throws Problem 400 naming every bad field */
  async create(input: NewApiKey, key = newKey()): Promise<CreatedApiKey> {
    const { userId, scopes, name } = parseBody(newApiKeyInput, input);
    const row: ApiKeyEntity = {
      id: newId(),
      userId,
      name,
      scopes: [...new Set(scopes)].join(' '),
      hash: hashOf(key),
      createdAt: this.clock.now(),
      lastUsedAt: null,
    };
    await this.keys.insert(row);
    return { ...apiKeyOf(row), key };
  }

  /** Newest first. @throws Problem 400 naming every bad field; 400 `invalid_cursor` */
  async list(query: ApiKeyQuery = {}): Promise<Page<ApiKey>> {
    const { limit, cursor, userId } = parseBody(apiKeyListInput, query);
    const rows = await this.keys.list({ limit, after: this.cursors.read(cursor) }, userId);
    const { data, nextCursor } = this.cursors.page(rows, limit);
    return { data: data.map(apiKeyOf), nextCursor };
  }

  /** Revokes a key: the next call with it gets 401. @throws Problem 404 */
  async delete(id: string): Promise<Deleted> {
    if (!(await this.keys.delete(id))) throw notFound('API key');
    return { id, deleted: true };
  }

  /**
   * Makes sure that there is an admin key: the given one, or, in an empty database, a new one.
   *
   * @returns the new key, to be shown once; null if none was made.
   */
  async bootstrap(given: string | null): Promise<string | null> {
    if (given) {
      if (!(await this.keys.findByHash(hashOf(given)))) await this.create(bootstrapKey(), given);
      return null;
    }
    return (await this.keys.isEmpty()) ? (await this.create(bootstrapKey())).key : null;
  }

  private touch(row: ApiKeyEntity): void {
    const now = this.clock.now();
    if (row.lastUsedAt !== null && now - row.lastUsedAt < TOUCH_EVERY_MS) return;
    this.keys
      .touch(row.id, now)
      .catch((error: Error) => this.logger.warn(`last_used_at not kept: ${error.message}`));
  }
}

const bootstrapKey = (): NewApiKey => ({ userId: 'admin', scopes: ['admin'], name: 'bootstrap' });

const newKey = () => `whk_${randomBytes(32).toString('base64url')}`;

const hashOf = (key: string) => hash('sha256', key, 'hex');
