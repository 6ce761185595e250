import { maskedAuthentication, type WebhookAuthentication } from '../engine/webhook/authentication.js';
import { maskHeaders } from '../engine/webhook/headers.js';
import type { EffectiveSettings, WebhookSettings } from '../engine/webhook/webhook-settings.js';
import { shownSecret, type WebhookSignature } from '../engine/webhook/webhook-signature.js';
import { maskedTls, type WebhookTls } from '../engine/webhook/webhook-tls.js';
import { type WebhookEvent, webhookEventOf } from '../event/webhook-event.js';
import { toDateTime } from '../platform/json/json-time.js';
import type { DisabledReason } from '../store/tables/webhook/webhook.entity.js';
import type { DecryptedWebhook, OpenedNewWebhook, UnreadablePart } from './decrypted-webhook.js';
import { healthOfNew, type WebhookHealth } from './health/webhook-health.js';
import { metadataOf } from './new-webhook.js';

/** Where notifications of a user are sent, and which. */
export interface Webhook {
  /** UUIDv7. */
  id: string;
  /** Its owner; 1 to 128 characters. */
  userId: string;
  /** 1 to 128 characters. */
  name: string;
  /** http or https, at most 2048 characters. */
  url: string;
  /** While false, nothing is sent to it. */
  enabled: boolean;
  /** At most 1024 characters. */
  description: string | null;
  /** Sent with every request, under the names that its owner gave. Values that may be credentials are `********`. */
  headers: Record<string, string>;
  /** The kinds of event that it is subscribed to, the oldest first. */
  events: WebhookEvent[];
  /**
   * Why the service switched it off: its receiver answered 410 (`gone`), or every attempt failed for too long
   * (`failing`).
   * Null if its owner did, or if it is enabled.
   */
  disabledReason: DisabledReason | null;
  /**
   * Until when its receiver is left alone after failures, or because it asked for that; null if it is not. Retries by hand
   * and tests are sent all the same. RFC 3339, UTC.
   */
  pausedUntil: string | null;
  /** How it is, and what waits for it. */
  health: WebhookHealth;
  /** When each previous signing secret that still signs ceases to, the newest secret first. RFC 3339, UTC. */
  previousSecretsExpireAt: string[];
  /** The application's own name for it, unique for the user; null if it has none. */
  uid: string | null;
  /** The application's own notes. */
  metadata: Record<string, string>;
  /** How its requests are signed. */
  signature: WebhookSignature;
  /** How the service proves to its receiver who it is, the secret as `********`; null if it does not. */
  authentication: WebhookAuthentication | null;
  /** What the service shows and trusts in the TLS handshake with its receiver, the key as `********`; null for its defaults. */
  tls: WebhookTls | null;
  /**
   * The parts (`headers`, `authentication`, `tls`, `secret`, `settings`) that the service cannot read, because an encryption key is
   * missing or the row was damaged: they are shown as if there were none, and nothing is sent until they are given anew. Normally
   * empty.
   */
  unreadable: UnreadablePart[];
  /** What it sets for itself. */
  settings: WebhookSettings;
  /** What holds for it: its own settings, and those of the service. */
  effectiveSettings: EffectiveSettings;
  /** RFC 3339, UTC, milliseconds. */
  createdAt: string;
  /** The last change of the webhook itself; a change of a single event leaves it. RFC 3339, UTC, milliseconds. */
  updatedAt: string;
}

/** A new webhook, with its signing secret. */
export interface CreatedWebhook extends Webhook {
  /**
   * Verifies the requests sent: `whsec_` and base64 unless another was given. With `standard-asymmetric` it is the public
   * key, `whpk_` and base64.
   */
  secret: string;
}

/** A webhook without what is said of its receiver. */
export type StoredWebhook = Omit<Webhook, 'health'>;

export function storedWebhookOf(opened: DecryptedWebhook): StoredWebhook {
  const { row, headers, authentication, tls, events, previousSecretsExpireAt } = opened;
  const { pausedUntil, settings, effectiveSettings } = opened;
  return {
    id: row.id,
    userId: row.userId,
    name: row.name,
    url: row.url,
    enabled: row.enabled,
    description: row.description,
    headers: maskHeaders(headers),
    events: events.map(webhookEventOf),
    disabledReason: row.disabledReason,
    pausedUntil: pausedUntil === null ? null : toDateTime(pausedUntil),
    previousSecretsExpireAt: previousSecretsExpireAt.map(toDateTime),
    uid: row.uid,
    metadata: metadataOf(row) ?? {},
    signature: { scheme: row.signatureScheme },
    authentication: maskedAuthentication(authentication),
    tls: maskedTls(tls),
    unreadable: opened.unreadable,
    settings,
    effectiveSettings,
    createdAt: toDateTime(row.createdAt),
    updatedAt: toDateTime(row.updatedAt),
  };
}

export const createdWebhookOf = (opened: OpenedNewWebhook): CreatedWebhook => ({
  ...storedWebhookOf(opened),
  health: healthOfNew(opened.row),
  secret: shownSecret(opened.row.signatureScheme, opened.secret),
});
