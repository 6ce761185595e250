import { randomBytes } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Scope } from '../platform/access/scope.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newId } from '../platform/ids/ids.js';
import { notFound } from '../platform/problem.js';
import { Vault } from '../platform/secret/vault.js';
import { Cursors, type Page } from '../rest/cursor.js';
import type { Deleted } from '../rest/deleted.js';
import type { PageQuery } from '../rest/input.js';
import type { Principal } from '../rest/principal.js';
import { parseBody } from '../rest/validation.js';
import type { ApiKeyEntity } from '../store/tables/access/api-key.entity.js';
import { type ApiKey, apiKeyOf, type CreatedApiKey } from './api-key.js';
import { ApiKeyRepository } from './api-key.repository.js';
import type { IncomingRequest } from './authenticator.js';
import { apiKeyListInput, newApiKeyInput } from './dto/api-key.dto.js';
import { hashOfKey, KeyAuthenticator } from './key-authenticator.js';

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
export class ApiKeyService {
  private readonly logger = new Logger('Auth');
  private readonly cursors: Cursors;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly authenticator: KeyAuthenticator,
    @Inject(CLOCK) private readonly clock: Clock,
    vault: Vault,
  ) {
    this.cursors = new Cursors(vault, 'api-key');
  }

  /**
   * The caller whose key a request carries in its `Authorization` header; null if it carries none that is valid.
   *
   * @throws Problem 429 if too many of its address were not valid
   */
  authenticate(request: IncomingRequest): Promise<Principal | null> {
    return this.authenticator.byHeader(request);
  }

  /**
   * Makes a key, and answers it this once: it cannot be retrieved again.
   *
   * @throws Problem 400 naming every bad field, 409 `user_moved`
   */
  async create(input: NewApiKey, key = newKey()): Promise<CreatedApiKey> {
    const { userId, scopes, name } = parseBody(newApiKeyInput, input);
    const row: ApiKeyEntity = {
      id: newId(),
      userId,
      name,
      scopes: [...new Set(scopes)].join(' '),
      hash: hashOfKey(key),
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
    return this.cursors.page(rows, limit, apiKeyOf);
  }

  /** Revokes a key for good: the next call with it gets 401. @throws Problem 404, 409 `user_moved` */
  async delete(id: string): Promise<Deleted> {
    if (!(await this.keys.delete(id, this.clock.now()))) throw notFound('API key');
    return { id, deleted: true };
  }

  /**
   * Makes sure that there is an admin key: the given one, unless it was revoked, or, in an empty database, a new one.
   *
   * @returns the new key, to be shown once; null if none was made.
   */
  async bootstrap(given: string | null): Promise<CreatedApiKey | null> {
    if (given) {
      await this.bootstrapGiven(given);
      return null;
    }
    return (await this.keys.isEmpty()) ? this.create(bootstrapKey()) : null;
  }

  private async bootstrapGiven(key: string): Promise<void> {
    const keyHash = hashOfKey(key);
    if (await this.keys.findByHash(keyHash)) return;
    if (!(await this.keys.wasRevoked(keyHash))) await this.create(bootstrapKey(), key);
    else
      this.logger.warn(
        'The key in BOOTSTRAP_API_KEY was revoked, so it is not made again. Remove the variable, or set a new key.',
      );
  }
}

const bootstrapKey = (): NewApiKey => ({ userId: 'admin', scopes: ['admin'], name: 'bootstrap' });

const newKey = () => `whk_${randomBytes(32).toString('base64url')}`;
