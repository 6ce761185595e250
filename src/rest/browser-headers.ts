/** What every answer of the API tells caches: it holds what only its caller may see. */
export const UNCACHED = { 'Cache-Control': 'no-store' };

/** What every answer tells a browser, whatever it holds. */
export const BROWSER_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};
