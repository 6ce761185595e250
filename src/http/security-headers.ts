import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const EVERYWHERE = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/** For all answers except the documentation: browsers show nothing and caches keep nothing. */
export const API_HEADERS = {
  ...EVERYWHERE,
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

/** Swagger UI loads its own scripts, calls its own origin, and sets styles on elements. */
const DOCS_HEADERS = {
  ...EVERYWHERE,
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
export function useSecurityHeaders(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  // Set on sending, because some refusals never reach the earlier hooks.
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(/^\/docs(?:[/?]|$)/.test(request.url) ? DOCS_HEADERS : API_HEADERS);
    if (request.protocol === 'https') reply.header('Strict-Transport-Security', HSTS);
    done();
  });
}
