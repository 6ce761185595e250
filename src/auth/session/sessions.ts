import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { Problem } from '../../common/problem.js';
import { Vault } from '../../common/secret/vault.js';
import type { Principal } from '../../rest/principal.js';
import { KeyAuthenticator } from '../key-authenticator.js';
import type { BrowserRequest } from './browser-request.js';
import { refuseCrossSite, refuseUnlessSameSite } from './request-origin.js';
import { cookieOf, noCookie, readCookie } from './session-cookie.js';

const HOURS = 12;
const SECONDS = HOURS * 3600;
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
 * Sessions of browsers. Nothing of them is stored: the cookie holds, sealed, the id of the key that opened it and when it
 * ends. The key itself is in no cookie, and whoever deletes it ends its sessions.
 */
@Injectable()
export class Sessions {
  constructor(
    private readonly keys: KeyAuthenticator,
    private readonly vault: Vault,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Problem 401, 403 `cross_site`, 429 */
  async open(request: BrowserRequest, key: string): Promise<Session> {
    refuseCrossSite(request);
    const principal = await this.keys.byKey(key.trim(), request.ip);
    if (!principal) throw unauthenticated('This is not a valid API key.', {});
    const expiresAt = this.clock.now() + SECONDS * 1000;
    const sealed = this.vault.seal(`${expiresAt} ${principal.clientId}`, CONTEXT);
    return { principal, expiresAt, cookie: cookieOf(request, sealed, SECONDS) };
  }

  /** @returns the `Set-Cookie` header that ends the session. @throws Problem 403 `cross_site` */
  leave(request: BrowserRequest): string {
    refuseCrossSite(request);
    return noCookie(request);
  }

  isIn(request: BrowserRequest): boolean {
    return readCookie(request) !== null;
  }

  /** @throws Problem 401, which removes the cookie; 403 `cross_site`; 429 */
  async find(request: BrowserRequest): Promise<Principal> {
    refuseUnlessSameSite(request);
    const principal = await this.keys.byId(this.keyIdIn(readCookie(request) ?? ''), request.ip);
    if (principal) return principal;
    throw unauthenticated('The session is over. Log in again.', { 'Set-Cookie': noCookie(request) });
  }

  /** @returns null if it was not sealed here, with a key that is still known, or is over. */
  private keyIdIn(sealed: string): string | null {
    if (!this.vault.opens(sealed, CONTEXT)) return null;
    const [expiresAt, keyId = ''] = this.vault.open(sealed, CONTEXT).split(' ');
    return Number(expiresAt) > this.clock.now() ? keyId : null;
  }
}

const unauthenticated = (detail: string, headers: Record<string, string>) =>
  new Problem(401, 'unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer', ...headers } });
