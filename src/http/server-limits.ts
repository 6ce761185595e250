import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const REQUEST_MS = 30_000;
const MAX_CONNECTIONS = 10_000;

/** Options of Fastify: clients that are slow, or silent, are cut. */
export const serverLimits = {
  /** For a whole request to arrive; then 408. */
  requestTimeout: REQUEST_MS,
  /** Without a byte either way, such as of a client that does not read its answer. */
  connectionTimeout: 60_000,
  /** Between two requests; longer than load balancers keep a connection, so that they end it and not we. */
  keepAliveTimeout: 72_000,
  http: {
    /** For the headers of a request to arrive, from the start of the connection; then 408. */
    headersTimeout: 10_000,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: 1000,
    maxHeaderSize: 16 * 1024,
  },
};

/** Connections past the bound are closed as they come. */
export function limitConnections(app: NestFastifyApplication): void {
  app.getHttpServer().maxConnections = MAX_CONNECTIONS;
}
