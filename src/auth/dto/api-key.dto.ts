import { z } from 'zod';
import { ApiSchema } from '../../rest/docs.js';
import { Field, line, nextCursor, paging, toAnswer, userId } from '../../rest/fields.js';
import { inputLike, queryLike } from '../../rest/input.js';
import { SCOPES, type Scope } from '../../rest/principal.js';
import type { ApiKey, CreatedApiKey } from '../api-key.js';

export const createApiKeyBody = z.strictObject({
  user_id: userId.meta({ example: 'acme' }),
  scopes: z
    .array(z.enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` }), {
      error: 'must be an array of scopes',
    })
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
export class WebhookApiKeyDto {
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b44' })
  id: string;
  @Field({ example: 'acme' })
  user_id: string;
  @Field({ enum: SCOPES, isArray: true, example: ['webhooks:read', 'webhooks:write'] })
  scopes: Scope[];
  @Field({ type: String, nullable: true, example: 'CRM' })
  name: string | null;
  @Field({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  created_at: string;
  @Field({ type: String, format: 'date-time', nullable: true, example: null })
  last_used_at: string | null;
}

@ApiSchema({ description: 'A new API key, which is shown this once' })
export class WebhookCreatedApiKeyDto extends WebhookApiKeyDto {
  @Field({ example: 'whk_…', description: 'Shown this once' })
  key: string;
}

@ApiSchema({ description: 'A page of API keys, newest first' })
export class WebhookApiKeyListDto {
  @Field({ type: [WebhookApiKeyDto] })
  data: WebhookApiKeyDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

export const toApiKeyDto = (key: ApiKey): WebhookApiKeyDto => toAnswer(WebhookApiKeyDto, key);

export const toCreatedApiKeyDto = (key: CreatedApiKey): WebhookCreatedApiKeyDto =>
  toAnswer(WebhookCreatedApiKeyDto, key);
