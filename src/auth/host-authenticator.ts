import type { Principal, Scope } from '../common/principal.js';
import type { Authenticator, IncomingRequest } from './authenticator.js';

/** A caller as an application names it. */
export interface HostCaller {
  /** Whose webhooks these are; 1..128 characters. */
  userId: string;
  /** @default all but `admin` */
  scopes?: readonly Scope[];
  /** What rate limits are counted by. @default the user */
  clientId?: string;
}

/** @returns the caller, or null where nobody is logged in. */
export type HostPrincipal = (
  request: IncomingRequest & Record<string, unknown>,
) => HostCaller | null | Promise<HostCaller | null>;

const SCOPES: readonly Scope[] = ['webhooks:read', 'webhooks:write', 'notifications:write'];

/** Takes an application's own callers. */
export function hostAuthenticator(principal: HostPrincipal): Authenticator {
  return {
    async authenticate(request): Promise<Principal | null> {
      const caller = await principal(request as IncomingRequest & Record<string, unknown>);
      if (!caller) return null;
      const { userId, scopes = SCOPES, clientId = userId } = caller;
      return { userId, scopes, clientId };
    },
  };
}
