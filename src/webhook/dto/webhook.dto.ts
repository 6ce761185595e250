import { toEventDto, WebhookEventDto } from '../../event/dto/event.dto.js';
import { SIGNATURE_SCHEMES, type SignatureScheme } from '../../platform/secret/signing-secret.js';
import { ApiExtraModels, ApiSchema, getSchemaPath } from '../../rest/docs.js';
import { Field, nextCursor, toAnswer } from '../../rest/fields.js';
import type { DisabledReason } from '../../store/tables/webhook/webhook.entity.js';
import {
  AUTHENTICATION_DTOS,
  toAuthenticationDto,
  type WebhookAuthenticationDto,
} from '../authentication/authentication.dto.js';
import { toTlsDto, WebhookTlsDto } from '../authentication/tls.dto.js';
import { UNREADABLE_PARTS, type UnreadablePart } from '../decrypted-webhook.js';
import {
  toEffectiveSettingsDto,
  toSettingsDto,
  WebhookEffectiveSettingsDto,
  WebhookSettingsDto,
} from '../settings/settings.dto.js';
import type { CreatedWebhook, Webhook } from '../webhook.js';

@ApiSchema({ description: 'How requests are signed' })
export class WebhookSignatureDto {
  @Field({ enum: SIGNATURE_SCHEMES, example: 'standard' })
  scheme: SignatureScheme;
}

@ApiExtraModels(...AUTHENTICATION_DTOS, WebhookTlsDto)
@ApiSchema({ description: 'A webhook: where to send, and what' })
export class WebhookDto {
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  id: string;
  @Field({ example: 'acme' })
  user_id: string;
  @Field({ example: 'CRM sync' })
  name: string;
  @Field({ example: 'https://crm.example.com/hooks' })
  url: string;
  @Field({ example: true })
  enabled: boolean;
  @Field({ type: String, nullable: true, example: null })
  description: string | null;
  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Values that may be credentials are answered as `********`',
    example: { 'X-Team': 'risk', Authorization: '********' },
  })
  headers: Record<string, string>;
  @Field({ type: [WebhookEventDto] })
  events: WebhookEventDto[];
  @Field({ enum: ['gone', 'failing'], nullable: true, example: null })
  disabled_reason: DisabledReason | null;
  @Field({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description: 'Until when its receiver is left alone; retries by hand and tests are sent all the same',
  })
  paused_until: string | null;
  @Field({
    type: [String],
    format: 'date-time',
    example: [],
    description: 'When the previous signing secrets that still sign cease to, the newest first',
  })
  previous_secrets_expire_at: string[];
  @Field({
    type: String,
    nullable: true,
    example: 'crm-production',
    description: 'A name of your own, unique for the user',
  })
  uid: string | null;
  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Notes of your own, which are sent to nobody',
    example: { team: 'risk' },
  })
  metadata: Record<string, string>;
  @Field({ type: WebhookSignatureDto })
  signature: WebhookSignatureDto;
  @Field({
    oneOf: [...AUTHENTICATION_DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })), { type: 'null' }],
    description: 'How the service proves to the receiver who it is; secrets are answered as `********`',
    example: { type: 'bearer', token: '********' },
  })
  authentication: WebhookAuthenticationDto | null;
  @Field({
    oneOf: [{ $ref: getSchemaPath(WebhookTlsDto) }, { type: 'null' }],
    description: 'What the service shows and trusts in the TLS handshake; the key is answered as `********`',
    example: null,
  })
  tls: WebhookTlsDto | null;
  @Field({
    enum: UNREADABLE_PARTS,
    isArray: true,
    description:
      'What the service cannot read, because an encryption key is missing or the row was damaged: shown as if there were none. ' +
      'Nothing is sent until these are given anew, `secret` by rotating it. Normally empty',
    example: [],
  })
  unreadable: UnreadablePart[];
  @Field({ type: WebhookSettingsDto })
  settings: WebhookSettingsDto;
  @Field({ type: WebhookEffectiveSettingsDto })
  effective_settings: WebhookEffectiveSettingsDto;
  @Field({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  created_at: string;
  @Field({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  updated_at: string;
}

@ApiSchema({ description: 'A new webhook, with its signing secret' })
export class CreatedWebhookDto extends WebhookDto {
  @Field({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    description: 'Verifies the requests sent; with `standard-asymmetric` the public key, `whpk_` and base64',
  })
  secret: string;
}

@ApiSchema({ description: 'A page of webhooks, newest first' })
export class WebhookListDto {
  @Field({ type: [WebhookDto] })
  data: WebhookDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

export const toWebhookDto = (webhook: Webhook): WebhookDto => toAnswer(WebhookDto, shown(webhook));

export const toCreatedWebhookDto = (webhook: CreatedWebhook): CreatedWebhookDto =>
  toAnswer(CreatedWebhookDto, shown(webhook));

const shown = (webhook: Webhook) => ({
  ...webhook,
  events: webhook.events.map(toEventDto),
  signature: toAnswer(WebhookSignatureDto, webhook.signature),
  authentication: toAuthenticationDto(webhook.authentication),
  tls: toTlsDto(webhook.tls),
  settings: toSettingsDto(webhook.settings),
  effectiveSettings: toEffectiveSettingsDto(webhook.effectiveSettings),
});
