import type { Filter } from '../engine/filter/filter.js';
import { newHealth } from '../engine/health/health-states.js';
import type { WebhookAuthenticationInput } from '../engine/webhook/authentication.js';
import { sealedOrNull } from '../engine/webhook/sealed-authentication.js';
import { newSettings, type SettingsChange, storedSettings } from '../engine/webhook/webhook-settings.js';
import { schemeOf, type WebhookSignature } from '../engine/webhook/webhook-signature.js';
import type { WebhookTlsInput } from '../engine/webhook/webhook-tls.js';
import type { WebhookEventKind } from '../event/event-kinds.js';
import { newEvent } from '../event/event-list.js';
import { newId } from '../platform/ids/ids.js';
import { columnJson, isTexts } from '../platform/json/column-json.js';
import { writeJson } from '../platform/json/write-json.js';
import { newSecretOf } from '../platform/secret/signing-secret.js';
import type { Vault } from '../platform/secret/vault.js';
import type { EventEntity } from '../store/tables/webhook/event.entity.js';
import type { WebhookEntity } from '../store/tables/webhook/webhook.entity.js';
import type { NewWebhookInput } from './dto/webhook-body.js';

/** The fields of a new webhook. */
export interface NewWebhook {
  /** 1..128 characters. */
  name: string;
  /** http or https, at most 2048 characters, to an address that the policy allows. */
  url: string;
  /** @default true */
  enabled?: boolean;
  /** At most 1024 characters. @default null */
  description?: string | null;
  /** Sent with every request; at most 20, 8 KiB in all. @default none */
  headers?: Record<string, string>;
  /** The kinds that it subscribes to. @default none */
  events?: (WebhookEventKind | { kind: WebhookEventKind; enabled?: boolean; filter?: Filter | null })[];
  /** A name of the application's own, by which `WebhookService.put` finds it; 1 to 128 characters, unique for the user. */
  uid?: string | null;
  /** The application's own notes; at most 20, of 256 characters under names of 64. Sent to nobody. @default none */
  metadata?: Record<string, string> | null;
  /** How it is sent to, where that differs from the service's defaults. @default none */
  settings?: SettingsChange;
  /** How requests are signed. @default standard */
  signature?: WebhookSignature | null;
  /** How the service proves to the receiver who it is. @default not at all */
  authentication?: WebhookAuthenticationInput | null;
  /** What the service shows and trusts in the TLS handshake; only with an `https` URL. @default what it does elsewhere */
  tls?: WebhookTlsInput | null;
  /**
   * Its signing secret: `whsec_` and base64 of 24 to 64 bytes; for the schemes `stripe` and `github` any 16 to 256 visible
   * ASCII characters; none for `standard-asymmetric`. @default a new one
   */
  secret?: string | undefined;
}

/** The fields to change of a webhook. If given, `events`, `headers` and `metadata` replace the whole list or set;
 * of `settings`, those that are not given stay. */
export interface WebhookChange extends Partial<Omit<NewWebhook, 'secret'>> {
  /** The webhook's id. */
  id: string;
}

/** The metadata as its column keeps it. */
export function storedMetadata(metadata: Record<string, string> | null): string | null {
  return metadata === null || Object.keys(metadata).length === 0 ? null : writeJson(metadata);
}

/** Null if it cannot be read. */
export const metadataOf = ({
  id,
  metadata,
}: Pick<WebhookEntity, 'id' | 'metadata'>): Record<string, string> | null =>
  metadata === null ? {} : columnJson(metadata, { column: 'webhook.metadata', row: id }, isTexts);

/** The rows of a new webhook, and its signing secret. */
export function newWebhook(
  userId: string,
  input: NewWebhookInput,
  vault: Vault,
  now: number,
): { row: WebhookEntity; events: EventEntity[]; secret: string } {
  const id = newId();
  const scheme = schemeOf(input.signature);
  const secret = input.secret ?? newSecretOf(scheme);
  const row: WebhookEntity = {
    id,
    userId,
    name: input.name,
    url: input.url,
    enabled: input.enabled,
    description: input.description,
    sealedHeaders: vault.seal(writeJson(input.headers), id),
    sealedAuthentication: sealedOrNull(vault, id, input.authentication),
    sealedTls: sealedOrNull(vault, id, input.tls),
    sealedSecret: vault.seal(secret, id),
    sealedPreviousSecrets: null,
    ...newHealth(now),
    uid: input.uid,
    metadata: storedMetadata(input.metadata),
    signatureScheme: scheme,
    settings: storedSettings(newSettings(input.settings)),
    createdAt: now,
    updatedAt: now,
  };
  return { row, events: input.events.map((event) => newEvent(row, event, now)), secret };
}
