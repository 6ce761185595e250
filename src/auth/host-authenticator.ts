import { HttpException, Logger } from '@nestjs/common';
import { z } from 'zod';
import type { Scope } from '../platform/access/scope.js';
import { isDatabaseUnavailable } from '../platform/database-error.js';
import { Problem } from '../platform/problem.js';
import { withoutStatement } from '../platform/without-statement.js';
import { scopes, userId } from '../rest/fields.js';
import type { Principal } from '../rest/principal.js';
import type { Authenticator, IncomingRequest } from './authenticator.js';

/** A caller, as an application identifies it. */
export interface HostCaller {
  /** The user that owns the webhooks; 1..128 characters. */
  userId: string;
  /** @default `webhooks:read` and `webhooks:write`. Reporting events, for any user, has to be granted explicitly. */
  scopes?: readonly Scope[];
  /** The client that rate limits count. @default the user */
  clientId?: string;
}

/**
 * Identifies the caller of a request.
 *
 * @returns the caller, or null if nobody is logged in. Anything else is a mistake: it is logged, and the call gets 500.
 */
export type HostPrincipal = {
  // Declared as a method so that a function which takes the application's own request type is accepted.
  // biome-ignore lint/suspicious/noExplicitAny: what guards leave on a request is of any type
  of(request: IncomingRequest & Record<string, any>): HostCaller | null | Promise<HostCaller | null>;
}['of'];

const DEFAULT_SCOPES: readonly Scope[] = ['webhooks:read', 'webhooks:write'];

/** Checked, because a value that is not a string may equal many user ids, and a string also has `includes`. */
const hostCaller = z.object(
  {
    userId,
    scopes: scopes.default([...DEFAULT_SCOPES]),
    clientId: z.string({ error: 'must be a string' }).min(1, { error: 'must not be empty' }).optional(),
  },
  { error: 'must be { userId, … }, or null where nobody is logged in' },
);

/** A mistake in the application, reported in its log and not to the caller. The message contains no values. */
class HostPrincipalError extends Error {
  constructor(issues: { path: PropertyKey[]; message: string }[]) {
    const wrong = issues
      .slice(0, 3)
      .map(({ path, message }) => `${['principal', ...path].join('.')} ${message}`);
    super(`What the application's principal(request) returns is not a caller: ${wrong.join('; ')}.`);
    this.name = 'HostPrincipalError';
  }
}

/** At most one line in this time, in milliseconds: those who cannot be identified may be many. */
const SAY_EVERY_MS = 10_000;

/** Authenticates with the application's own function. */
export function hostAuthenticator(principal: HostPrincipal): Authenticator {
  const logger = new Logger('Auth');
  let saidAt = Number.NEGATIVE_INFINITY;
  const unknown = (why: string) => {
    if (performance.now() - saidAt > SAY_EVERY_MS) {
      saidAt = performance.now();
      logger.error(`The application's principal(request) ${why}, so calls are answered 503 caller_unknown.`);
    }
    return callerUnknown();
  };
  return {
    hint: 'The application does not know the caller: log in there first.',
    late: () => unknown('does not answer in time'),
    async authenticate(request): Promise<Principal | null> {
      const given: unknown = await asked(principal, request, unknown);
      if (given === null) return null;
      const { data, error } = hostCaller.safeParse(given);
      if (error) throw new HostPrincipalError(error.issues);
      return { userId: data.userId, scopes: data.scopes, clientId: data.clientId ?? data.userId };
    },
  };
}

/** Whatever the application itself asks is not the webhooks' database. */
async function asked(
  principal: HostPrincipal,
  request: IncomingRequest,
  unknown: (why: string) => Problem,
): Promise<unknown> {
  try {
    return await principal(request);
  } catch (error) {
    if (error instanceof HttpException || !isDatabaseUnavailable(error)) throw error;
    const { message } = withoutStatement(error) as Error;
    throw unknown(`cannot reach what it needs (${message})`);
  }
}

const callerUnknown = () =>
  new Problem(
    503,
    'caller_unknown',
    'The application could not say in time who is calling. Nothing was done; try again.',
    { headers: { 'Retry-After': '5' } },
  );
