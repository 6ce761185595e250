import { pauseEndOf } from '../engine/health/shown-state.js';
import { livePrevious } from '../engine/webhook/previous-secrets.js';
import { authenticationOf, headersOf, tlsOf } from '../engine/webhook/sealed-authentication.js';
import type { WebhookRow } from '../engine/webhook/webhook-row.js';
import {
  type EffectiveSettings,
  settingsOf,
  settingsPair,
  type WebhookSettings,
} from '../engine/webhook/webhook-settings.js';
import type { DeliveryConfig } from '../platform/config/settings.js';
import type { Vault } from '../platform/secret/vault.js';
import type { Access } from './authentication/access.js';

/** A stored webhook with what its receiver is shown decrypted. It stays inside: `WebhookViews` makes the answer. */
export interface DecryptedWebhook extends WebhookRow, Access {
  /** The parts that could not be decrypted, or read. In their place stand none. */
  unreadable: UnreadablePart[];
  /** When each previous secret stops signing, newest secret first. Epoch milliseconds. */
  previousSecretsExpireAt: number[];
  /** Epoch milliseconds; null if its receiver is not left alone now. */
  pausedUntil: number | null;
  settings: WebhookSettings;
  effectiveSettings: EffectiveSettings;
}

/** A new webhook and its signing secret; `replayed` if an earlier call with the same idempotency key created it. */
export interface OpenedNewWebhook extends DecryptedWebhook {
  secret: string;
  replayed: boolean;
}

/** What of a webhook may turn out to be unreadable in the database: what is encrypted there, and its settings. */
export const UNREADABLE_PARTS = ['headers', 'authentication', 'tls', 'secret', 'settings'] as const;
/** A part of a webhook that cannot be read. `secret` stands for the previous ones as well. */
export type UnreadablePart = (typeof UNREADABLE_PARTS)[number];

/** Decrypts what the receiver of a stored webhook is shown. @param now epoch milliseconds. */
export function openWebhook(
  vault: Vault,
  found: WebhookRow,
  delivery: DeliveryConfig,
  now: number,
): DecryptedWebhook {
  const { row } = found;
  const unreadable = new Set<UnreadablePart>();
  const read = <T>(part: UnreadablePart, open: () => T): T | null => {
    try {
      return open();
    } catch {
      unreadable.add(part);
      return null;
    }
  };
  const access = {
    headers: read('headers', () => headersOf(vault, row)) ?? {},
    authentication: read('authentication', () => authenticationOf(vault, row)),
    tls: read('tls', () => tlsOf(vault, row)),
  };
  read('secret', () => vault.open(row.sealedSecret, row.id));
  const previous = read('secret', () => livePrevious(vault, row, now)) ?? [];
  if (settingsOf(row) === null) unreadable.add('settings');
  return {
    ...found,
    ...access,
    unreadable: [...unreadable],
    previousSecretsExpireAt: previous.map(({ expiresAt }) => expiresAt),
    pausedUntil: pauseEndOf(row, now),
    ...settingsPair(row, delivery),
  };
}
