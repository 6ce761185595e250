import type { FastifyInstance } from 'fastify';
import { BROWSER_HEADERS, UNCACHED } from '../../rest/answer-headers.js';

/** For all answers except pages: browsers show nothing and caches keep nothing. */
export const API_HEADERS = {
  ...BROWSER_HEADERS,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...UNCACHED,
};

/** Swagger UI loads its own scripts, calls its own origin, and sets styles on elements. */
const DOCS_HEADERS = {
  ...BROWSER_HEADERS,
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
};

const HSTS = 'max-age=31536000';

/** Sets the security headers. `request.protocol` trusts `X-Forwarded-Proto` from trusted proxies only. */
export function useSecurityHeaders(fastify: FastifyInstance): void {
  // Set on sending, because some refusals never reach the earlier hooks.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    // The console says what its page may do.
    if (!reply.hasHeader('content-security-policy'))
      reply.headers(/^\/docs(?:[/?]|$)/.test(request.url) ? DOCS_HEADERS : API_HEADERS);
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', HSTS);
    done();
  });
}
