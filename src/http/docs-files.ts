import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Problem, pathOf } from '../common/problem.js';

/** Swagger UI's page and what it asks for. Its package has much else: other builds, source maps, a page with a document of others. */
const FILES = new Set([
  '',
  '/',
  '/openapi.json',
  '/swagger-ui-init.js',
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
]);

export const DOCS = '/docs';

/** Serves of the documentation what the page needs. */
export function limitDocs(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', ({ url, routeOptions }, _reply, done) => {
    const path = pathOf(url);
    const isOther = routeOptions.url?.startsWith(DOCS) && !FILES.has(path.slice(DOCS.length));
    done(isOther ? new Problem(404, 'route_not_found', 'There is no such endpoint.') : undefined);
  });
}
