import type { FastifyInstance } from 'fastify';

const REQUEST_MS = 30_000;
const MAX_CONNECTIONS = 10_000;

/** Fastify options that cut slow and silent clients. */
export const serverLimits = {
  /** Time for a whole request to arrive; then 408. */
  requestTimeout: REQUEST_MS,
  /** Time without a byte in either direction, for example when a client does not read its answer. */
  connectionTimeout: 60_000,
  /** Time between two requests. Longer than load balancers keep connections, so that they close first. */
  keepAliveTimeout: 72_000,
  http: {
    /** Time for the headers of a request to arrive, from the start of the connection; then 408. */
    headersTimeout: 10_000,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16 * 1024,
  },
};

/** Closes new connections past the bound. */
export function limitConnections(fastify: FastifyInstance): void {
  fastify.server.maxConnections = MAX_CONNECTIONS;
}
