import type { Vault } from '../common/secret/vault.js';
import type { DeliveryConfig } from '../config/settings.js';
import type { Access } from './authentication/access.js';
import { authenticationOf, tlsOf } from './authentication/sealed-authentication.js';
import { livePrevious } from './secret/previous-secrets.js';
import { type EffectiveSettings, settingsPair, type WebhookSettings } from './settings/webhook-settings.js';
import type { WebhookRow } from './webhook.repository.js';

/** A stored webhook with what its receiver is shown decrypted. It stays inside: `webhookOf` makes the answer. */
export interface OpenedWebhook extends WebhookRow, Access {
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

/** Decrypts what the receiver of a stored webhook is shown. @param now epoch milliseconds. */
export function openWebhook(
  vault: Vault,
  found: WebhookRow,
  delivery: DeliveryConfig,
  now: number,
): OpenedWebhook {
  const { row } = found;
  return {
    ...found,
    headers: JSON.parse(vault.open(row.sealedHeaders, row.id)),
    authentication: authenticationOf(vault, row),
    tls: tlsOf(vault, row),
    previousSecretsExpireAt: livePrevious(vault, row, now).map(({ expiresAt }) => expiresAt),
    pausedUntil: row.pausedUntil !== null && row.pausedUntil > now ? row.pausedUntil : null,
    ...settingsPair(row, delivery),
  };
}
