import { newId } from '../common/ids.js';
import { newSecret } from '../common/secret/signing-secret.js';
import type { Vault } from '../common/secret/vault.js';
import type { EventEntity } from '../event/event.entity.js';
import type { WebhookEventKind } from '../event/event-kinds.js';
import { newEvent } from '../event/event-list.js';
import type { NewWebhookInput } from './dto/webhook-body.js';
import type { WebhookEntity } from './webhook.entity.js';

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
  events?: (WebhookEventKind | { kind: WebhookEventKind; enabled?: boolean })[];
  /** Its signing secret: `whsec_` and base64 of 24 to 64 bytes. @default a new one */
  secret?: string | undefined;
}

/** The fields to change of a webhook. If given, `events` and `headers` replace the whole list or set. */
export interface WebhookChange extends Partial<Omit<NewWebhook, 'secret'>> {
  /** The webhook's id. */
  id: string;
}

/** The rows of a new webhook, and its signing secret. */
export function newWebhook(
  userId: string,
  input: NewWebhookInput,
  vault: Vault,
  now: number,
): { row: WebhookEntity; events: EventEntity[]; secret: string } {
  const id = newId();
  const secret = input.secret ?? newSecret();
  const row: WebhookEntity = {
    id,
    userId,
    name: input.name,
    url: input.url,
    enabled: input.enabled,
    description: input.description,
    sealedHeaders: vault.seal(JSON.stringify(input.headers), id),
    sealedSecret: vault.seal(secret, id),
    sealedPreviousSecrets: null,
    disabledReason: null,
    generation: 0,
    failingSince: null,
    failingQuarters: 0,
    untoldSince: null,
    createdAt: now,
    updatedAt: now,
  };
  return { row, events: input.events.map((event) => newEvent(row, event, now)), secret };
}
