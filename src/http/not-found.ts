import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { HTTPMethods } from 'fastify';
import { Problem, pathOf } from '../common/problem.js';

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Tells an unknown path (404) from a known one that was asked by another method (405, with Allow); reads no body. */
export function useMethodNotAllowed(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', async (request) => {
    if (!request.is404) return;
    const path = pathOf(request.url);
    const allowed = METHODS.filter((method) => fastify.findRoute({ url: path, method }) !== null);
    if (allowed.length === 0) throw new Problem(404, 'route_not_found', 'There is no such endpoint.');
    throw new Problem(
      405,
      'method_not_allowed',
      `This endpoint takes ${allowed.join(', ')}, not ${request.method}.`,
      {
        headers: { Allow: allowed.join(', ') },
      },
    );
  });
}
