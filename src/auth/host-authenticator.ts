import { z } from 'zod';
import { userId } from '../rest/fields.js';
import { type Principal, SCOPES, type Scope } from '../rest/principal.js';
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
 * @returns the caller, or null where nobody is logged in. Anything else is a mistake: it is logged, and the call is a 500.
 */
export type HostPrincipal = {
  // A method, so that a function of the application's own type of request will do.
  // biome-ignore lint/suspicious/noExplicitAny: what guards leave on a request is of any type
  of(request: IncomingRequest & Record<string, any>): HostCaller | null | Promise<HostCaller | null>;
}['of'];

const DEFAULT_SCOPES: readonly Scope[] = ['webhooks:read', 'webhooks:write'];

/** Not believed as it is: what is no id of a user may be equal to many of them, and a text `includes` much. */
const hostCaller = z.object(
  {
    userId,
    scopes: z
      .array(z.enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` }), {
        error: 'must be an array of scopes',
      })
      .default([...DEFAULT_SCOPES]),
    clientId: z.string({ error: 'must be a string' }).min(1, { error: 'must not be empty' }).optional(),
  },
  { error: 'must be { userId, … }, or null where nobody is logged in' },
);

/** A mistake of the application's, told to its log and not to the caller. Says what is wrong, and holds no value. */
class HostPrincipalError extends Error {
  constructor(issues: { path: PropertyKey[]; message: string }[]) {
    const wrong = issues
      .slice(0, 3)
      .map(({ path, message }) => `${['principal', ...path].join('.')} ${message}`);
    super(`What the application's principal(request) returns is not a caller: ${wrong.join('; ')}.`);
    this.name = 'HostPrincipalError';
  }
}

/** Takes an application's own callers. */
export function hostAuthenticator(principal: HostPrincipal): Authenticator {
  return {
    hint: 'The application does not know the caller: log in there first.',
    async authenticate(request): Promise<Principal | null> {
      const given: unknown = await principal(request);
      if (given === null) return null;
      const { data, error } = hostCaller.safeParse(given);
      if (error) throw new HostPrincipalError(error.issues);
      return { userId: data.userId, scopes: data.scopes, clientId: data.clientId ?? data.userId };
    },
  };
}
