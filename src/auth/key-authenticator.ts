import { hash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import type { Principal } from '../rest/principal.js';
import { type ApiKeyEntity, scopesOf } from '../store/tables/access/api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import type { IncomingRequest } from './authenticator.js';
import { UnauthenticatedCalls } from './limits/unauthenticated-calls.js';

/** `last_used_at` helps to find unused keys. Minute precision is enough and saves a write per call. */
const TOUCH_EVERY_MS = 60_000;

const KEY = /^whk_[A-Za-z0-9_-]{43}$/;
const BEARER = /^Bearer +(\S+)$/i;

/** What is stored of a key. */
export const hashOfKey = (key: string) => hash('sha256', key, 'hex');

/** Identifies callers by their API key. */
@Injectable()
export class KeyAuthenticator {
  private readonly logger = new Logger('Auth');

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly unauthenticated: UnauthenticatedCalls,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** By the `Authorization` header. @returns null if it holds no valid key. @throws Problem 429 */
  byHeader({ headers, ip }: IncomingRequest): Promise<Principal | null> {
    const { authorization } = headers;
    const key = typeof authorization === 'string' ? BEARER.exec(authorization)?.[1] : undefined;
    return this.byKey(key ?? null, ip);
  }

  /** @returns null if it is not a valid key. @throws Problem 429 if too many of this address were not. */
  async byKey(key: string | null, address: string | undefined): Promise<Principal | null> {
    // The lookup is by hash, so its duration does not tell how close a guess was.
    const keyHash = key !== null && KEY.test(key) ? hashOfKey(key) : null;
    this.unauthenticated.admit(address, keyHash);
    const row = keyHash ? await this.keys.findByHash(keyHash) : null;
    if (!row) {
      this.unauthenticated.failed(address, keyHash);
      return null;
    }
    this.unauthenticated.succeeded(row.hash);
    return this.used(row);
  }

  /** By the id of a key that was valid before; null if it is not known. @returns null if it is valid no more. @throws Problem 429 */
  async byId(id: string | null, address: string | undefined): Promise<Principal | null> {
    const row = id === null ? null : await this.keys.findById(id);
    if (row) return this.used(row);
    this.unauthenticated.failed(address, null);
    return null;
  }

  private used(row: ApiKeyEntity): Principal {
    const now = this.clock.now();
    if (row.lastUsedAt === null || now - row.lastUsedAt >= TOUCH_EVERY_MS)
      this.keys
        .touch(row.id, now)
        .catch((error: Error) =>
          this.logger.warn(`Could not store last_used_at of an API key: ${error.message}`),
        );
    return { userId: row.userId, scopes: scopesOf(row), clientId: row.id };
  }
}
