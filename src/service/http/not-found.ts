import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Problem, pathOf } from '../../platform/problem.js';

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Answers an unknown path with 404 and a known path with another method with 405 and `Allow`, without reading the body.
 *
 * @param page a path below which every path is known.
 */
export function useMethodNotAllowed(fastify: FastifyInstance, page: string): void {
  fastify.addHook('onRequest', ({ is404, url, method }, _reply, done) => {
    if (!is404) return done();
    const path = pathOf(url);
    const pattern = path.startsWith(`${page}/`) ? `${page}/*` : path;
    const allowed = METHODS.filter((known) => fastify.findRoute({ url: pattern, method: known }) !== null);
    done(allowed.length === 0 ? notFound() : notAllowed(method, allowed.join(', ')));
  });
}

const notFound = () => new Problem(404, 'route_not_found', 'There is no such endpoint.');

const notAllowed = (method: string, allowed: string) =>
  new Problem(405, 'method_not_allowed', `This endpoint takes ${allowed}, not ${method}.`, {
    headers: { Allow: allowed },
  });
