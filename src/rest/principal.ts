import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Owner } from '../platform/access/owner.js';
import type { Scope } from '../platform/access/scope.js';

/** The identified caller of a request. */
export interface Principal {
  /** The user that owns the webhooks; 1..128 characters. */
  userId: string;
  scopes: readonly Scope[];
  /** The client that rate limits count: the id of the API key. */
  clientId: string;
}

export const isAdmin = (principal: Principal) => principal.scopes.includes('admin');

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
