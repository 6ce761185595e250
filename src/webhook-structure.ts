import { z } from 'zod';
import type { HostGuard } from './auth/access.guard.js';
import type { HostPrincipal } from './auth/host-authenticator.js';
import { flag } from './config/fields.js';

/** Options that decide how the module is assembled. They must be known at import, also with `forRootAsync`. */
export interface WebhookModuleStructure {
  /** Whether the REST API is served. @default true */
  routes: boolean;
  /** Prefix of the REST API's paths: `integrations` makes `/integrations/v1/webhook`. @default none */
  prefix: string;
  /** Whether exported services can be injected anywhere without importing the module. @default false */
  isGlobal: boolean;
  /** Name of the TypeORM data source that holds the webhooks. @default the unnamed data source */
  dataSource: string | undefined;
  /** The application's guards for the REST API. Every one must let a call through. @default none */
  guards: HostGuard[];
  /**
   * Identifies the caller, after the guards; null is a 401. If given, there are no API keys and no routes that manage
   * them.
   *
   * @default the service's own API keys
   */
  principal: HostPrincipal | undefined;
}

const isGuard = (given: unknown) =>
  typeof given === 'function' ||
  typeof (given as { canActivate?: unknown } | null)?.canActivate === 'function';
const guard = z.custom<HostGuard>(isGuard, {
  error: 'must be a guard: a class, or an object with canActivate',
});
const DATA_SOURCE = { error: 'must be the name of a data source, such as webhooks, and not the data source' };

export const structureFields = {
  routes: flag.default(true),
  prefix: z.string({ error: 'must be a text, such as integrations' }).default(''),
  isGlobal: flag.default(false),
  dataSource: z.string(DATA_SOURCE).min(1, DATA_SOURCE).optional(),
  guards: z.array(guard, { error: 'must be an array, such as [TenantGuard]' }).default([]),
  principal: z
    .custom<HostPrincipal>((given) => typeof given === 'function', {
      error: 'must be a function of the request',
    })
    .optional(),
};

const structure = z.object(structureFields);

/** The structural ones of a module's options, with their defaults. */
export function structureOf(given: Partial<WebhookModuleStructure>): WebhookModuleStructure {
  const { dataSource, principal, ...others } = structure.parse(given);
  return { ...others, dataSource, principal };
}
