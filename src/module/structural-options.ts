import { z } from 'zod';
import type { HostPrincipal } from '../auth/host-authenticator.js';
import type { HostGuard } from '../auth/host-guards.js';
import { flag } from '../platform/config/fields.js';
import { CONSOLE } from './console/console-path.js';

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
  /**
   * Serves the console, a page on which users manage their own webhooks, beside the REST API: at `console` under the prefix,
   * or at another path. The guards run before it, too.
   *
   * @default false
   */
  console: boolean | { path?: string };
}

const isGuard = (given: unknown) =>
  typeof given === 'function' ||
  typeof (given as { canActivate?: unknown } | null)?.canActivate === 'function';
const guard = z.custom<HostGuard>(isGuard, {
  error: 'must be a guard: a class, or an object with canActivate',
});
const CONSOLE_PATH = 'must be a path such as webhooks/console, without a slash at either end';
const consolePath = z
  .string({ error: CONSOLE_PATH })
  .regex(/^(?!\.)[\w.~-]+(\/(?!\.)[\w.~-]+)*$/, { error: CONSOLE_PATH })
  .refine((path) => !/^v1(\/|$)/i.test(path), { error: 'must not begin with v1, where the REST API is' });
const consoleOption = z.preprocess(
  (given) => (given === true ? {} : given === false ? undefined : given),
  z
    .strictObject({ path: consolePath.default(CONSOLE) }, { error: 'must be true, false, or { path }' })
    .optional(),
);
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
  console: consoleOption,
};

const structure = z.object(structureFields);

/** The options with their defaults. */
export type AssembledStructure = z.infer<typeof structure>;

/** The structural ones of a module's options, with their defaults. */
export const structureOf = (given: Partial<WebhookModuleStructure>): AssembledStructure =>
  structure.parse(given);
