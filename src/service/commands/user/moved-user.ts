import type { Seen } from '../../../engine/health/health-states.js';
import type { Vault } from '../../../platform/secret/vault.js';
import type { ApiKeyEntity } from '../../../store/tables/access/api-key.entity.js';
import type { EventEntity } from '../../../store/tables/webhook/event.entity.js';
import type { WebhookEntity } from '../../../store/tables/webhook/webhook.entity.js';
import type { UserRows } from './departure.repository.js';
import { Refusal } from './refusal.js';

type SealedColumn = Extract<keyof WebhookEntity, `sealed${string}`>;

/** A webhook on its way. `opened` holds the plain text of its sealed columns. */
export interface MovedWebhook extends Omit<WebhookEntity, SealedColumn | keyof Seen | 'userId'> {
  opened: Pick<WebhookEntity, SealedColumn>;
  /** Without the hashes of their filters: whoever names a filter shares it with all who have the same. */
  events: Omit<EventEntity, 'webhookId' | 'userId' | 'filterHash'>[];
}

/** All of a user that moves. */
export interface MovedUser {
  userId: string;
  /** Names the move. It is known to whoever has opened the file, which the old cell takes as proof that it has arrived. */
  receipt: string;
  webhooks: MovedWebhook[];
  apiKeys: Omit<ApiKeyEntity, 'userId'>[];
}

/** @throws Refusal naming the webhooks of which something cannot be decrypted. */
export function openedUser(
  userId: string,
  { receipt, webhooks, apiKeys }: UserRows,
  vault: Vault,
): MovedUser {
  const unreadable = new Set<string>();
  const moved = webhooks.map(({ row, events }): MovedWebhook => {
    const open = (sealed: string): string => {
      const plain = vault.tryOpen(sealed, row.id);
      if (plain === null) unreadable.add(row.id);
      return plain ?? '';
    };
    const openOrNull = (sealed: string | null) => sealed && open(sealed);
    return {
      id: row.id,
      name: row.name,
      url: row.url,
      enabled: row.enabled,
      description: row.description,
      disabledReason: row.disabledReason,
      generation: row.generation,
      uid: row.uid,
      metadata: row.metadata,
      signatureScheme: row.signatureScheme,
      settings: row.settings,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
      opened: {
        sealedHeaders: open(row.sealedHeaders),
        sealedAuthentication: openOrNull(row.sealedAuthentication),
        sealedTls: openOrNull(row.sealedTls),
        sealedSecret: open(row.sealedSecret),
        sealedPreviousSecrets: openOrNull(row.sealedPreviousSecrets),
      },
      events: events.map(({ webhookId: _, userId: __, filterHash: ___, ...event }) => event),
    };
  });
  if (unreadable.size > 0)
    throw new Refusal(
      `Nothing was exported: secrets of ${[...unreadable].join(', ')} cannot be decrypted. Put the missing key back into ` +
        'ENCRYPTION_KEYS, or give these secrets anew.',
    );
  return { userId, receipt, webhooks: moved, apiKeys: apiKeys.map(({ userId: _, ...key }) => key) };
}

/** What of a user moves, as a sentence begins: `1 webhook and 2 API keys`. */
export const counted = ({ webhooks, apiKeys }: MovedUser) =>
  `${some(webhooks.length, 'webhook')} and ${some(apiKeys.length, 'API key')}`;

const some = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
