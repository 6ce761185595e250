import type { HostGuard } from './auth/access.guard.js';
import type { HostPrincipal } from './auth/host-authenticator.js';
import type { Clock } from './common/clock.js';
import type { VaultKey } from './common/vault.js';
import { ConfigError } from './config/config-error.js';
import { encryptionKeysOf } from './config/encryption-keys.js';
import { type DeliveryConfig, type EgressConfig, type Settings, settings } from './config/settings.js';
import type { HostEventKind, HostEventKinds } from './event/event-kinds.js';

/** A definition for each declared kind; none if none is declared. */
type DeclaredKinds = [keyof HostEventKinds] extends [never]
  ? Record<string, never>
  : { [Kind in keyof HostEventKinds]: HostEventKind<HostEventKinds[Kind]> };

/** Options of `WebhookModule`; `forRootAsync` may supply them later. Each one left out has its default. */
export interface WebhookModuleOptions extends Partial<Omit<Settings, 'egress' | 'delivery'>> {
  /**
   * Keys that encrypt secrets and header values in the database (AES-256-GCM): `id:base64 of 32 bytes`, separated by
   * commas, or the keys themselves. The first encrypts, all decrypt.
   */
  encryptionKeys: string | VaultKey[];
  /** Where a webhook may point. @default public addresses, by http and https */
  egress?: Partial<EgressConfig>;
  /** How deliveries are made. @default 256 attempts at once, 10 to a webhook, 15 s each, and gentle */
  delivery?: Partial<DeliveryConfig>;
  /** The application's own event kinds, as declared in {@link HostEventKinds}. @default none */
  eventKinds?: DeclaredKinds;
  /** The source of time. @default the system clock */
  clock?: Clock;
}

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

/** @throws ConfigError naming every option that is wrong. */
export function settingsOf(options: WebhookModuleOptions): Settings {
  const result = settings.safeParse(options);
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}

/** @throws ConfigError */
export function vaultKeysOf({ encryptionKeys }: WebhookModuleOptions): VaultKey[] {
  try {
    return encryptionKeysOf(encryptionKeys);
  } catch (error) {
    throw new ConfigError([`encryptionKeys: ${(error as Error).message}`]);
  }
}
