import { pathOf } from '../../platform/problem.js';
import type { BrowserRequest } from './browser-request.js';

const NAME = 'webhook_session';
const API = '/v1/';

/** How a cookie is named and kept at the address of a request. */
interface CookieScope {
  name: string;
  attributes: string;
}

/**
 * Browsers keep one jar for all ports of a host, so the port is part of the name: two services on one machine would log each
 * other's users out. Over TLS the name's prefix promises that no other host and no plain connection has set the cookie
 * (RFC 6265bis, 4.1.3); `__Host-` also demands the path `/`, which under the prefix of an application is not ours alone.
 */
function scopeOf(request: BrowserRequest): CookieScope {
  const path = pathOf(request.originalUrl ?? request.url);
  const prefix = path.slice(0, Math.max(0, path.lastIndexOf(API)));
  const port = /:(\d+)$/.exec(String(request.headers.host ?? ''))?.[1];
  const name = port ? `${NAME}_${port}` : NAME;
  const attributes = `Path=${prefix ? `${prefix}/v1` : '/'}; HttpOnly; SameSite=Strict`;
  if (request.protocol !== 'https') return { name, attributes };
  return { name: `${prefix ? '__Secure-' : '__Host-'}${name}`, attributes: `${attributes}; Secure` };
}

/** The value of the session's cookie; null if the request has none. */
export function readCookie(request: BrowserRequest): string | null {
  const { cookie } = request.headers;
  if (typeof cookie !== 'string') return null;
  const start = `${scopeOf(request).name}=`;
  const found = cookie.split(/; */).find((one) => one.startsWith(start));
  return found ? found.slice(start.length) : null;
}

/** A `Set-Cookie` header that keeps a value. */
export function cookieOf(request: BrowserRequest, value: string, seconds: number): string {
  const { name, attributes } = scopeOf(request);
  return `${name}=${value}; Max-Age=${seconds}; ${attributes}`;
}

/** A `Set-Cookie` header that removes the cookie. */
export const noCookie = (request: BrowserRequest): string => cookieOf(request, '', 0);
