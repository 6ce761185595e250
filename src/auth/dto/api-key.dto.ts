import { z } from 'zod';
import { SCOPES } from '../../platform/access/scope.js';
import { answerOf, Field, listOf, time, timeOrNull, uuid } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { line, paging, scopes, userId } from '../../rest/fields.js';
import { inputLike, queryLike } from '../../rest/input.js';
import type { ApiKey } from '../api-key.js';

export const createApiKeyBody = z.strictObject({
  user_id: userId.meta({ example: 'acme' }),
  scopes: scopes
    .min(1, { error: 'must name at least one scope' })
    .max(20, { error: 'must be at most 20 scopes' }),
  name: line(128).nullable().default(null).meta({ example: 'CRM' }),
});
export type CreateApiKeyBody = z.infer<typeof createApiKeyBody>;
export const newApiKeyInput = inputLike(createApiKeyBody);

export const apiKeyListQuery = z.strictObject({ user_id: userId.optional(), ...paging });
export type ApiKeyListQuery = z.infer<typeof apiKeyListQuery>;
export const apiKeyListInput = queryLike(apiKeyListQuery);

@ApiSchema({ description: 'An API key, never the key itself' })
class WebhookApiKeyDto extends answerOf<ApiKey>({
  id: { ...uuid, example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b44' },
  user_id: { example: 'acme' },
  scopes: { enum: SCOPES, isArray: true, example: ['webhooks:read', 'webhooks:write'] },
  name: { type: String, nullable: true, example: 'CRM' },
  created_at: time,
  last_used_at: { ...timeOrNull, example: null },
}) {}

@ApiSchema({ description: 'A new API key, which is shown this once' })
export class WebhookCreatedApiKeyDto extends WebhookApiKeyDto {
  @Field({ example: 'whk_…', description: 'Shown this once' })
  key: string;
}

@ApiSchema({ description: 'A page of API keys, newest first' })
export class WebhookApiKeyListDto extends listOf(WebhookApiKeyDto) {}
