import type { Principal } from '../rest/principal.js';

/** The parts of a request that authentication may look at; true of Express and of Fastify. */
export interface IncomingRequest {
  headers: Record<string, string | string[] | undefined>;
  /** The client's address. */
  ip?: string;
}

/** Tells who is calling. The service takes API keys; a host application brings its own. */
export interface Authenticator {
  /** One sentence for those whose call is not authenticated. */
  readonly hint: string;
  /** @returns null where the request carries no valid credentials. */
  authenticate(request: IncomingRequest): Promise<Principal | null>;
}

/** Injection token of the {@link Authenticator}. */
export const AUTHENTICATOR = Symbol('AUTHENTICATOR');
