import type { WebhookSignature } from '../../engine/webhook/webhook-signature.js';
import { exactEvent, WebhookEventDto } from '../../event/dto/event.dto.js';
import { SIGNATURE_SCHEMES } from '../../platform/secret/signing-secret.js';
import { answerOf, Field, listOf, time, timeOrNull, toRow, uuid } from '../../rest/answer.js';
import { ApiExtraModels, ApiSchema, getSchemaPath } from '../../rest/docs.js';
import { AUTHENTICATION_DTOS, toAuthenticationDto } from '../authentication/authentication.dto.js';
import { WebhookTlsDto } from '../authentication/tls.dto.js';
import { UNREADABLE_PARTS } from '../decrypted-webhook.js';
import { WebhookHealthDto } from '../health/health.dto.js';
import { WebhookEffectiveSettingsDto, WebhookSettingsDto } from '../settings/settings.dto.js';
import type { Webhook } from '../webhook.js';
import { secretDocs } from './secret.dto.js';

@ApiSchema({ description: 'How requests are signed' })
class WebhookSignatureDto extends answerOf<WebhookSignature>({
  scheme: { enum: SIGNATURE_SCHEMES, example: 'standard' },
}) {}

@ApiExtraModels(...AUTHENTICATION_DTOS, WebhookTlsDto)
@ApiSchema({ description: 'A webhook: where to send, and what' })
export class WebhookDto extends answerOf<Webhook>({
  id: uuid,
  user_id: { example: 'acme' },
  name: { example: 'CRM sync' },
  url: { example: 'https://crm.example.com/hooks' },
  enabled: { example: true },
  description: { type: String, nullable: true, example: null },
  headers: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Values that may be credentials are answered as `********`',
    example: { 'X-Team': 'risk', Authorization: '********' },
  },
  events: { type: [WebhookEventDto] },
  disabled_reason: { enum: ['gone', 'failing'], nullable: true, example: null },
  paused_until: {
    ...timeOrNull,
    example: null,
    description: 'Until when its receiver is left alone; retries by hand and tests are sent all the same',
  },
  health: { type: WebhookHealthDto },
  previous_secrets_expire_at: {
    type: [String],
    format: 'date-time',
    example: [],
    description: 'When the previous signing secrets that still sign cease to, the newest first',
  },
  uid: {
    type: String,
    nullable: true,
    example: 'crm-production',
    description: 'A name of your own, unique for the user',
  },
  metadata: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Notes of your own, which are sent to nobody',
    example: { team: 'risk' },
  },
  signature: { type: WebhookSignatureDto },
  authentication: {
    oneOf: [...AUTHENTICATION_DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })), { type: 'null' }],
    description: 'How the service proves to the receiver who it is; secrets are answered as `********`',
    example: { type: 'bearer', token: '********' },
  },
  tls: {
    oneOf: [{ $ref: getSchemaPath(WebhookTlsDto) }, { type: 'null' }],
    description: 'What the service shows and trusts in the TLS handshake; the key is answered as `********`',
    example: null,
  },
  unreadable: {
    enum: UNREADABLE_PARTS,
    isArray: true,
    description:
      'What the service cannot read, because an encryption key is missing or the row was damaged: shown as if there were none. ' +
      'Nothing is sent until these are given anew, `secret` by rotating it. Normally empty',
    example: [],
  },
  settings: { type: WebhookSettingsDto },
  effective_settings: { type: WebhookEffectiveSettingsDto },
  created_at: time,
  updated_at: time,
}) {}

@ApiSchema({ description: 'A new webhook, with its signing secret' })
export class CreatedWebhookDto extends WebhookDto {
  @Field(secretDocs)
  secret: string;
}

@ApiSchema({ description: 'A page of webhooks, newest first' })
export class WebhookListDto extends listOf(WebhookDto) {}

/** What answers of a webhook are made of: parts that are one of several things are on the wire already. */
export const shownWebhook = <View extends Webhook>(webhook: View) => ({
  ...webhook,
  events: webhook.events.map(exactEvent),
  authentication: toAuthenticationDto(webhook.authentication) as View['authentication'],
  tls: (webhook.tls && toRow(WebhookTlsDto, webhook.tls)) as View['tls'],
});
