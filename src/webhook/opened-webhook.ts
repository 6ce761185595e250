import type { Vault } from '../common/secret/vault.js';
import type { DeliveryConfig } from '../config/settings.js';
import type { Access } from './authentication/access.js';
import { liveOf } from './secret/previous-secrets.js';
import { type EffectiveSettings, settingsPair, type WebhookSettings } from './settings/webhook-settings.js';
import type { WebhookRow } from './webhook.repository.js';

/** A stored webhook with what its receiver is shown decrypted. It stays inside: `webhookOf` makes the answer. */
export interface OpenedWebhook extends WebhookRow, Access {
  /** The parts that could not be decrypted. In their place stand none. */
  unreadable: SealedPart[];
  /** When each previous secret stops signing, newest secret first. Epoch milliseconds. */
  previousSecretsExpireAt: number[];
  /** Epoch milliseconds; null if its receiver is not left alone now. */
  pausedUntil: number | null;
  settings: WebhookSettings;
  effectiveSettings: EffectiveSettings;
}

/** A new webhook and its signing secret; `replayed` if an earlier call with the same idempotency key created it. */
export interface OpenedNewWebhook extends OpenedWebhook {
  secret: string;
  replayed: boolean;
}

/** What of a webhook is encrypted in the database. */
export const SEALED_PARTS = ['headers', 'authentication', 'tls', 'secret'] as const;
/** An encrypted part of a webhook. `secret` stands for the previous ones as well. */
export type SealedPart = (typeof SEALED_PARTS)[number];

/** Decrypts what the receiver of a stored webhook is shown. @param now epoch milliseconds. */
export function openWebhook(
  vault: Vault,
  found: WebhookRow,
  delivery: DeliveryConfig,
  now: number,
): OpenedWebhook {
  const { row } = found;
  const unreadable = new Set<SealedPart>();
  const read = <T>(part: SealedPart, sealed: string | null, parse: (plain: string) => T): T | null => {
    if (sealed === null) return null;
    const plain = vault.tryOpen(sealed, row.id);
    if (plain === null) unreadable.add(part);
    return plain === null ? null : parse(plain);
  };
  const access = {
    headers: read<Access['headers']>('headers', row.sealedHeaders, JSON.parse) ?? {},
    authentication: read<Access['authentication']>('authentication', row.sealedAuthentication, JSON.parse),
    tls: read<Access['tls']>('tls', row.sealedTls, JSON.parse),
  };
  read('secret', row.sealedSecret, () => null);
  const previous = read('secret', row.sealedPreviousSecrets, (plain) => liveOf(plain, now)) ?? [];
  return {
    ...found,
    ...access,
    unreadable: [...unreadable],
    previousSecretsExpireAt: previous.map(({ expiresAt }) => expiresAt),
    pausedUntil: row.pausedUntil !== null && row.pausedUntil > now ? row.pausedUntil : null,
    ...settingsPair(row, delivery),
  };
}
