import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';

export const SCOPES = ['webhooks:read', 'webhooks:write', 'notifications:write', 'admin'] as const;
/** What a caller may do. One scope does not imply another, but `admin` is all of them, for every user. */
export type Scope = (typeof SCOPES)[number];

/** Who is calling. */
export interface Principal {
  /** Whose webhooks these are; 1..128 characters. */
  userId: string;
  scopes: readonly Scope[];
  /** What rate limits are counted by: the id of the API key. */
  clientId: string;
}

/** Whose objects a query may see: one user's, or, for `null`, everybody's. */
export type Owner = string | null;

export const isAdmin = (principal: Principal) => principal.scopes.includes('admin');

/**
 * For whatever compares an owner in the database: MariaDB finds every user whose id begins with no digit equal to 0, and an
 * array's elements would be so many users.
 *
 * @throws TypeError where it is neither a text nor null
 */
export function checkedOwner<T extends Owner>(owner: T): T {
  if (owner === null || typeof owner === 'string') return owner;
  throw new TypeError('An owner is the id of a user, or null for everybody.');
}

export const ownerOf = (principal: Principal): Owner => (isAdmin(principal) ? null : principal.userId);

const SCOPE = 'webhook:scope';

/** The scope that an endpoint asks for. */
export const RequireScope = (scope: Scope) => SetMetadata(SCOPE, scope);

export const scopeMetadata = SCOPE;

/** Where the guard leaves the principal on the request. */
export const PRINCIPAL = Symbol.for('webhook.principal');

/** The principal of the request, as a handler's parameter. */
export const Caller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal => context.switchToHttp().getRequest()[PRINCIPAL],
);
