import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';

export const SCOPES = ['webhooks:read', 'webhooks:write', 'notifications:write', 'admin'] as const;
/** A permission of a caller. No scope implies another, except `admin`: all scopes, for every user. */
export type Scope = (typeof SCOPES)[number];

/** The identified caller of a request. */
export interface Principal {
  /** The user that owns the webhooks; 1..128 characters. */
  userId: string;
  scopes: readonly Scope[];
  /** The client that rate limits count: the id of the API key. */
  clientId: string;
}

/** The user whose objects a query may see; null for everybody's. */
export type Owner = string | null;

export const isAdmin = (principal: Principal) => principal.scopes.includes('admin');

/**
 * Checks an owner before a query compares it: in MariaDB the number 0 equals every user id that begins with no digit, and
 * an array would match several users.
 *
 * @throws TypeError if it is neither a string nor null
 */
export function checkedOwner<T extends Owner>(owner: T): T {
  if (owner === null || typeof owner === 'string') return owner;
  throw new TypeError('An owner is the id of a user, or null for everybody.');
}

export const ownerOf = (principal: Principal): Owner => (isAdmin(principal) ? null : principal.userId);

const SCOPE = 'webhook:scope';

/** Declares the scope that an endpoint requires. */
export const RequireScope = (scope: Scope) => SetMetadata(SCOPE, scope);

/** The scope that an endpoint requires; null if any caller may make the call. */
export const scopeOf = (handler: object): Scope | null => Reflect.getMetadata(SCOPE, handler) ?? null;

/** The property of a request that holds its principal. */
export const PRINCIPAL = Symbol.for('webhook.principal');

/** The caller as a host's global pipes see it, which are for parameters too: they could make another user of it. */
class Shut {
  readonly #principal: Principal;

  constructor(principal: Principal) {
    this.#principal = principal;
  }

  static open(given: unknown): Principal {
    if (typeof given === 'object' && given !== null && #principal in given) return given.#principal;
    throw new Error(
      'A global pipe replaced the caller; it must return what is of the type "custom" as it is.',
    );
  }
}

const ShutCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new Shut(context.switchToHttp().getRequest()[PRINCIPAL]),
);

/** The principal of the request, as a handler's parameter. */
export const Caller = () => ShutCaller({ transform: Shut.open });
