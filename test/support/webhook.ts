import type { Insert } from '../../src/store/insert.js';
import type { TestService } from './service.js';

const ALL_KINDS = ['ANALYSIS_FINISHED', 'RECORD_FINISHED', 'STATUS_CHANGED'];

/** A valid request body for creating a webhook; nothing listens at its URL. */
export const webhookBody = (fields: object = {}) => ({
  name: 'CRM sync',
  url: 'http://127.0.0.1:31151/hooks',
  ...fields,
});

/**
 * Creates a webhook, subscribed to every event kind unless `fields` says otherwise.
 *
 * @param key the caller's API key. @default the admin key
 * @returns the response body, which includes the secret.
 */
export async function createWebhook(service: Pick<TestService, 'call'>, fields: object = {}, key?: string) {
  const body = webhookBody({ events: ALL_KINDS, ...fields });
  const answer = await service.call('POST', '/v1/webhook', body, key ? { key } : {});
  if (answer.status !== 201) throw new Error(`No webhook: ${answer.text}`);
  return answer.body;
}

/** What a spec cares about in a row of `webhook` that it stores itself. */
export interface WebhookRow {
  id: string;
  userId: string;
  name?: string;
  enabled?: boolean;
  disabledReason?: string;
  /** @default 1 */
  createdAt?: number;
}

/** Rows of webhooks to store without a service, which could not read their secrets. */
export const webhookRows = (rows: WebhookRow[]): Insert => ({
  table: 'webhook',
  columns: [
    'id',
    'user_id',
    'name',
    'url',
    'enabled',
    'sealed_headers',
    'sealed_secret',
    'disabled_reason',
    'created_at',
    'updated_at',
  ],
  rows: rows.map(({ id, userId, name = 'w', enabled = true, disabledReason, createdAt = 1 }) => [
    ...[id, userId, name, 'http://x', enabled ? 1 : 0, 'h', 's', disabledReason ?? null],
    ...[createdAt, createdAt],
  ]),
});
