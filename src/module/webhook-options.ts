import { z } from 'zod';
import type { HostEventKind, HostEventKinds } from '../event/event-kinds.js';
import type { Clock } from '../platform/clock.js';
import { ConfigError } from '../platform/config/config-error.js';
import { encryptionKeysOf } from '../platform/config/encryption-keys.js';
import { isOptions, kindOf, problemsOf, refuse } from '../platform/config/given-options.js';
import { retentionProblems } from '../platform/config/retention-check.js';
import {
  type DeliveryConfig,
  type EgressConfig,
  type IntakeConfig,
  type RetentionConfig,
  type Settings,
  settings,
} from '../platform/config/settings.js';
import type { VaultKey } from '../platform/secret/vault.js';
import { structureFields } from './structural-options.js';

/** The option `eventKinds`: a definition for each kind that {@link HostEventKinds} declares; none if it declares none. */
export type WebhookEventKinds = [keyof HostEventKinds] extends [never]
  ? Record<string, never>
  : { [Kind in keyof HostEventKinds]: HostEventKind<HostEventKinds[Kind]> };

/** Options of `WebhookModule`; `forRootAsync` may supply them later. Each one left out has its default. */
export interface WebhookModuleOptions
  extends Partial<Omit<Settings, 'egress' | 'delivery' | 'retention' | 'intake'>> {
  /**
   * Keys that encrypt secrets and header values in the database (AES-256-GCM): `id:base64 of 32 bytes`, separated by
   * commas, or the keys themselves. The first encrypts, all decrypt.
   */
  encryptionKeys: string | VaultKey[];
  /** Where a webhook may point. @default public addresses, by http and https */
  egress?: Partial<EgressConfig>;
  /** How deliveries are made. @default 256 attempts at once, 10 to a webhook, 15 s each, and gentle */
  delivery?: Partial<DeliveryConfig>;
  /** How long what happened is kept. @default bodies for 30 days, rows for 90 */
  retention?: Partial<RetentionConfig>;
  /** Takes events from a queue of RabbitMQ. @default none */
  intake?: Partial<IntakeConfig>;
  /** The application's own event kinds, as declared in {@link HostEventKinds}. @default none */
  eventKinds?: WebhookEventKinds;
  /** The source of time. @default the system clock */
  clock?: Clock;
}

const text = z.string({ error: 'must be a text' });
const object = z.looseObject({}, { error: 'must be an object' });
const kind = z.strictObject({ event: text, description: text, schema: object, example: object });

/** All options that may come late. Those whose values are checked where they are used accept anything here. */
export const optionFields = {
  ...settings.shape,
  encryptionKeys: z.unknown().optional(),
  eventKinds: z.record(z.string(), kind).optional(),
  clock: z.unknown().optional(),
};

const BESIDE_FACTORY = {
  names: Object.keys(structureFields),
  message:
    'decides how the module is assembled, so it must be known at import; write it beside useFactory, not in its result',
};

/** @throws ConfigError naming every option that is wrong. */
export function checkedSettings(options: WebhookModuleOptions): Settings {
  if (!isOptions(options)) {
    throw new ConfigError([
      `useFactory: must return the options, such as { encryptionKeys }, not ${kindOf(options)}`,
    ]);
  }
  refuse(problemsOf(optionFields, options, BESIDE_FACTORY));
  const parsed = settings.parse(options);
  refuse(retentionProblems(parsed).map(({ key, message }) => ({ path: key, message, isName: false })));
  return parsed;
}

/** @throws ConfigError */
export function vaultKeysOf({ encryptionKeys }: WebhookModuleOptions): VaultKey[] {
  try {
    return encryptionKeysOf(encryptionKeys);
  } catch (error) {
    throw new ConfigError([`encryptionKeys: ${(error as Error).message}`]);
  }
}
