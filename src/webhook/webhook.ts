import type { Vault } from '../common/vault.js';
import { livePrevious } from './secret/previous-secrets.js';
import type { WebhookRow } from './webhook.repository.js';

/** A webhook, its headers in the clear. */
export interface Webhook extends WebhookRow {
  headers: Record<string, string>;
  /** When the previous secrets that still sign cease to, the newest first. Epoch milliseconds. */
  previousSecretsExpireAt: number[];
}

/** A new webhook and its signing secret; `replayed` where an earlier call with the same idempotency key made it. */
export interface CreatedWebhook extends Webhook {
  secret: string;
  replayed: boolean;
}

/** Decrypts the headers of a stored webhook. @param now epoch milliseconds. */
export function openWebhook(vault: Vault, found: WebhookRow, now: number): Webhook {
  const { row } = found;
  return {
    ...found,
    headers: JSON.parse(vault.open(row.sealedHeaders, row.id)),
    previousSecretsExpireAt: livePrevious(vault, row, now).map(({ expiresAt }) => expiresAt),
  };
}
