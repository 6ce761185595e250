import type { HostGuard } from './auth/access.guard.js';
import type { HostPrincipal } from './auth/host-authenticator.js';
import type { Clock } from './common/clock.js';
import type { VaultKey } from './common/vault.js';
import { ConfigError } from './config/config-error.js';
import { readEncryptionKeys } from './config/encryption-keys.js';
import { type DeliveryConfig, type EgressConfig, type Settings, settings } from './config/settings.js';
import type { HostEventKind, HostEventKinds } from './event/event-kinds.js';

/** A definition for each kind that is declared; none where none is. */
type DeclaredKinds = [keyof HostEventKinds] extends [never]
  ? Record<string, never>
  : { [Kind in keyof HostEventKinds]: HostEventKind<HostEventKinds[Kind]> };

/** What `WebhookModule` is given; `forRootAsync` may make it late. Whatever is left out has its default. */
export interface WebhookModuleOptions extends Partial<Omit<Settings, 'egress' | 'delivery'>> {
  /**
   * Encrypt secrets and header values in the database (AES-256-GCM): `id:base64 of 32 bytes`, comma separated, or the
   * keys themselves. The first encrypts, all decrypt.
   */
  encryptionKeys: string | VaultKey[];
  /** Where a webhook may point. @default public addresses, by http and https */
  egress?: Partial<EgressConfig>;
  /** How deliveries are made. @default 256 attempts at once, 10 to a webhook, 15 s each, and gentle */
  delivery?: Partial<DeliveryConfig>;
  /** Kinds of event of the application's own, as declared in {@link HostEventKinds}. @default none */
  eventKinds?: DeclaredKinds;
  /** The source of time. @default the system's */
  clock?: Clock;
}

/** What decides how the module is put together, and so is known when it is imported, also with `forRootAsync`. */
export interface WebhookModuleStructure {
  /** Whether the REST API is there. @default true */
  routes: boolean;
  /** Stands before the paths of the REST API, as in `/integrations/v1/webhook`. @default none */
  prefix: string;
  /** Whether the exported services can be injected everywhere without importing the module. @default false */
  isGlobal: boolean;
  /** Name of the TypeORM data source that holds the webhooks. @default the unnamed one */
  dataSource: string | undefined;
  /** Guards of the application's, asked before any call of the REST API: each must let it through. @default none */
  guards: HostGuard[];
  /**
   * Tells whose call it is, after the guards; null is a 401. With it, API keys and the calls that manage them are not
   * there.
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

function checkedKeys(keys: VaultKey[]): VaultKey[] {
  if (keys.length === 0) throw new Error('must hold a key');
  if (keys.some(({ id, key }) => !id || key?.length !== 32))
    throw new Error('must be { id, key }, the key of 32 bytes');
  return keys;
}

/** @throws ConfigError */
export function vaultKeysOf({ encryptionKeys }: WebhookModuleOptions): VaultKey[] {
  try {
    if (Array.isArray(encryptionKeys)) return checkedKeys(encryptionKeys);
    return readEncryptionKeys(encryptionKeys ?? '');
  } catch (error) {
    throw new ConfigError([`encryptionKeys: ${(error as Error).message}`]);
  }
}
