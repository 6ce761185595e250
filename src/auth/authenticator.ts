import { Problem } from '../platform/problem.js';
import type { Principal } from '../rest/principal.js';

/** The parts of a request that authentication may read, the same in Express and Fastify. */
export interface IncomingRequest {
  headers: Record<string, string | string[] | undefined>;
  /** The client's address. */
  ip?: string;
}

/** Identifies the caller. The service uses API keys; a host application brings its own authenticator. */
export interface Authenticator {
  /** One sentence that tells an unauthenticated caller what to do. */
  readonly hint: string;
  /** What a call is told that would have to wait for too long. @default the database does not answer */
  readonly late?: () => Problem;
  /** @returns null if the request carries no valid credentials. */
  authenticate(request: IncomingRequest): Promise<Principal | null>;
}

/** Injection token of the {@link Authenticator}. */
export const AUTHENTICATOR = Symbol('AUTHENTICATOR');

/** A 401 problem. */
export const unauthenticated = (detail: string, headers: Record<string, string> = {}) =>
  new Problem(401, 'unauthenticated', detail, { headers: { 'WWW-Authenticate': 'Bearer', ...headers } });
