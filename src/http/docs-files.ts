import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { onRequestHookHandler } from 'fastify';
import { Problem, pathOf } from '../common/problem.js';

/** Swagger UI's page and its files. The package holds much more: other builds, source maps, a page for other documents. */
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

/** Serves only those documentation files that the page needs. */
export function limitDocs(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith(DOCS)) route.onRequest = [route.onRequest ?? [], refuseOthers].flat();
  });
}

const refuseOthers: onRequestHookHandler = ({ url }, _reply, done) => {
  const isServed = FILES.has(pathOf(url).slice(DOCS.length));
  done(isServed ? undefined : new Problem(404, 'route_not_found', 'There is no such endpoint.'));
};
