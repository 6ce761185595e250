import type { Principal, Scope } from '../common/principal.js';
import type { Authenticator, IncomingRequest } from './authenticator.js';

/** A caller as an application names it. */
export interface HostCaller {
  /** Whose webhooks these are; 1..128 characters. */
  userId: string;
  /** @default `webhooks:read` and `webhooks:write`: who may report events, for any user, has to be told */
  scopes?: readonly Scope[];
  /** What rate limits are counted by. @default the user */
  clientId?: string;
}

/**
 * Tells whose call it is.
 *
 * @returns the caller, or null where nobody is logged in.
 */
export type HostPrincipal = {
  // A method, so that a function of the application's own type of request will do.
  // biome-ignore lint/suspicious/noExplicitAny: what guards leave on a request is of any type
  of(request: IncomingRequest & Record<string, any>): HostCaller | null | Promise<HostCaller | null>;
}['of'];

const SCOPES: readonly Scope[] = ['webhooks:read', 'webhooks:write'];

/** Takes an application's own callers. */
export function hostAuthenticator(principal: HostPrincipal): Authenticator {
  return {
    hint: 'The application does not know the caller: log in there first.',
    async authenticate(request): Promise<Principal | null> {
      const caller = await principal(request);
      if (!caller) return null;
      const { userId, scopes = SCOPES, clientId = userId } = caller;
      return { userId, scopes, clientId };
    },
  };
}
