import { hash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids/ids.js';
import { Vault } from '../../platform/secret/vault.js';
import type { Principal } from '../../rest/principal.js';
import { unauthenticated } from '../authenticator.js';
import { KeyAuthenticator } from '../key-authenticator.js';
import { UnauthenticatedCalls } from '../limits/unauthenticated-calls.js';
import type { BrowserRequest } from './browser-request.js';
import { refuseCrossSite, refuseUnlessSameSite } from './request-origin.js';
import { SessionRepository } from './session.repository.js';
import { cookieOf, noCookie, readCookie } from './session-cookie.js';

const HOURS = 12;
const SECONDS = HOURS * 3600;
const LINK_MS = 10 * 60_000;
const CONTEXT = 'session';

/** A new session. */
export interface Session {
  principal: Principal;
  /** Epoch milliseconds. */
  expiresAt: number;
  /** The `Set-Cookie` header that holds it. */
  cookie: string;
}

/**
 * Sessions of browsers. The cookie holds, sealed, the id of a stored session and when it ends; the session, the key that it
 * acts for. The key itself is in no cookie. Whoever leaves removes the session, and whoever deletes the key ends all of its
 * sessions.
 */
@Injectable()
export class Sessions {
  constructor(
    private readonly keys: KeyAuthenticator,
    private readonly rows: SessionRepository,
    private readonly unauthenticated: UnauthenticatedCalls,
    private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Problem 401, 403 `cross_site`, 429 */
  async open(request: BrowserRequest, key: string): Promise<Session> {
    refuseCrossSite(request);
    const principal = await this.keys.byKey(key.trim(), request.ip);
    if (!principal) throw unauthenticated('This is not a valid API key.');
    const now = this.clock.now();
    const row = { id: newId(), keyId: principal.clientId, code: null, expiresAt: now + SECONDS * 1000 };
    await this.rows.insert(row, now);
    return this.sessionOf(request, principal, row);
  }

  /** Makes the code of a link that logs in for a key, once and within ten minutes. It is stored as a hash. */
  async link(keyId: string): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const now = this.clock.now();
    await this.rows.insert({ id: newId(), keyId, code: hashOf(code), expiresAt: now + LINK_MS }, now);
    return code;
  }

  /** @throws Problem 401, 403 `cross_site`, 429 */
  async openByLink(request: BrowserRequest, code: string): Promise<Session> {
    refuseCrossSite(request);
    this.unauthenticated.admit(request.ip, null);
    const now = this.clock.now();
    const row = await this.rows.redeem(hashOf(code), now, now + SECONDS * 1000);
    const principal = await this.keys.byId(row?.keyId ?? null, request.ip);
    if (row && principal) return this.sessionOf(request, principal, row);
    throw unauthenticated('The link was used before, or is older than ten minutes. Log in with an API key.');
  }

  /** Ends the session at once, on every instance. @returns the `Set-Cookie` header that removes the cookie. @throws Problem 403 `cross_site` */
  async leave(request: BrowserRequest): Promise<string> {
    refuseCrossSite(request);
    const id = this.idIn(readCookie(request) ?? '');
    if (id !== null) await this.rows.delete(id);
    return noCookie(request);
  }

  isIn(request: BrowserRequest): boolean {
    return readCookie(request) !== null;
  }

  /** @throws Problem 401, which removes the cookie; 403 `cross_site`; 429 */
  async find(request: BrowserRequest): Promise<Principal> {
    refuseUnlessSameSite(request);
    const id = this.idIn(readCookie(request) ?? '');
    const principal = await this.keys.byId(id && (await this.rows.keyOf(id)), request.ip);
    if (principal) return principal;
    throw unauthenticated('The session is over. Log in again.', { 'Set-Cookie': noCookie(request) });
  }

  private sessionOf(
    request: BrowserRequest,
    principal: Principal,
    { id, expiresAt }: { id: string; expiresAt: number },
  ): Session {
    const sealed = this.vault.seal(`${expiresAt} ${id}`, CONTEXT);
    return { principal, expiresAt, cookie: cookieOf(request, sealed, SECONDS) };
  }

  /** @returns null if it was not sealed here, with a key that is still known, or is over. */
  private idIn(sealed: string): string | null {
    if (!this.vault.opens(sealed, CONTEXT)) return null;
    const [expiresAt, id = ''] = this.vault.open(sealed, CONTEXT).split(' ');
    return Number(expiresAt) > this.clock.now() ? id : null;
  }
}

/** What is stored of a code. */
const hashOf = (code: string) => hash('sha256', code.trim(), 'hex');
