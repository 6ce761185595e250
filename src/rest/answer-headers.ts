import type { AbstractHttpAdapter } from '@nestjs/core';

/** What every answer of the API tells caches: it holds what only its caller may see (RFC 9111, 5.2.2.5). */
export const UNCACHED = { 'Cache-Control': 'no-store' };

/** What every answer tells a browser, whatever it holds. */
export const BROWSER_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/** Keeps the answer out of caches, also where an application has no such rule. A stream says more about it. */
export function keepUncached(http: AbstractHttpAdapter, response: unknown): void {
  http.setHeader(response, 'Cache-Control', UNCACHED['Cache-Control']);
}
