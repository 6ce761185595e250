import type { IncomingRequest } from '../authenticator.js';

/** The parts of a request that sessions read, the same in Express and Fastify. */
export interface BrowserRequest extends IncomingRequest {
  method: string;
  url: string;
  /** In Express, `url` lacks the path under which a router is mounted. */
  originalUrl?: string;
  /** The protocol that the client used, as far as the proxy in front is trusted. */
  protocol?: string;
}
