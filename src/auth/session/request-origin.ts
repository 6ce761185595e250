import { Problem } from '../../platform/problem.js';
import type { BrowserRequest } from './browser-request.js';

const SAFE = ['GET', 'HEAD'];

/**
 * Where a request comes from, as the browser says: from a page of this origin, or from elsewhere, which includes other ports
 * and subdomains. Browsers that say nothing are old, or do not trust the connection, and then at least send `Origin` with
 * everything but GET and HEAD. A request that no page caused (`none`), such as of an address that somebody typed, is a
 * GET.
 */
function originOf({ method, headers }: BrowserRequest): 'same' | 'other' | 'unknown' {
  const { 'sec-fetch-site': site, origin, host } = headers;
  if (site !== undefined)
    return site === 'same-origin' || (site === 'none' && SAFE.includes(method)) ? 'same' : 'other';
  if (origin === undefined) return 'unknown';
  return isAt(String(origin), String(host)) ? 'same' : 'other';
}

/** By host and port: only a trusted proxy could say whether the page came over TLS. */
function isAt(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  const here = `${page.protocol}//${host}`;
  return URL.canParse(here) && page.host !== '' && new URL(here).host === page.host;
}

/** Refuses what a browser sends on behalf of a page of another origin. @throws Problem 403 `cross_site` */
export function refuseCrossSite(request: BrowserRequest): void {
  if (originOf(request) === 'other') throw crossSite();
}

/**
 * Refuses what a browser may have sent on behalf of a page of another origin, with the cookie that it adds by itself.
 *
 * @throws Problem 403 `cross_site`
 */
export function refuseUnlessSameSite(request: BrowserRequest): void {
  const origin = originOf(request);
  if (origin === 'other' || (origin === 'unknown' && !SAFE.includes(request.method))) throw crossSite();
}

const crossSite = () =>
  new Problem(
    403,
    'cross_site',
    'A session may be used by pages of this origin only, and the browser must say so (Sec-Fetch-Site or Origin). ' +
      'Programs send an API key instead.',
  );
