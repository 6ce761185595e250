import { applyDecorators } from '@nestjs/common';
import { EventKinds } from '../../event/event-kinds.js';
import { jsonSchemaOf } from '../../platform/json/json-schema.js';
import { uuid } from '../../rest/answer.js';
import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse, getSchemaPath } from '../../rest/docs.js';
import { idQuery } from '../../rest/fields.js';
import { WebhookDeletedDto } from '../../rest/operation.js';
import { CreatedWebhookDto, WebhookDto } from './webhook.dto.js';
import { webhookBodies } from './webhook-body.js';

const ID = uuid.example;
const TAG = '"gJ7Yl1Wq0u5m4hB2s9XcVw"';
const headers = {
  ETag: {
    description: 'Names this version of the webhook, for `If-Match` and `If-None-Match`',
    schema: { type: 'string' as const, example: TAG },
  },
};
const tagHeader = (name: string, description: string) =>
  ApiHeader({ name, required: false, description, schema: { type: 'string', example: TAG } });
const { body: bodies } = webhookBodies(new EventKinds().field(), {
  url: () => null,
  schedule: () => null,
  now: () => 0,
});

/** The two bodies, and the two answers, of the shared POST. */
export const CreateOrDeleteDocs = () =>
  applyDecorators(
    ApiExtraModels(CreatedWebhookDto, WebhookDeletedDto),
    ApiBody({
      schema: { oneOf: [jsonSchemaOf(bodies.create), jsonSchemaOf(idQuery)] },
      examples: {
        create: {
          summary: 'Create',
          value: {
            name: 'CRM sync',
            url: 'https://crm.example.com/hooks',
            headers: { 'X-Team': 'risk' },
            events: ['ANALYSIS_FINISHED', { kind: 'RECORD_FINISHED', enabled: true }],
          },
        },
        delete: { summary: 'Delete', value: { id: ID } },
      },
    }),
    ApiResponse({
      status: 201,
      description: 'The webhook, with its secret',
      type: CreatedWebhookDto,
      headers,
    }),
    ApiResponse({ status: 200, description: 'Deleted', schema: { $ref: getSchemaPath(WebhookDeletedDto) } }),
  );

export const PutDocs = () =>
  applyDecorators(
    ApiExtraModels(CreatedWebhookDto),
    ApiBody({
      schema: jsonSchemaOf(bodies.put),
      examples: {
        put: {
          summary: 'Make it so',
          value: {
            uid: 'crm-production',
            name: 'CRM sync',
            url: 'https://crm.example.com/hooks',
            events: ['RECORD_FINISHED'],
            metadata: { team: 'risk' },
          },
        },
      },
    }),
    tagHeader('If-Match', 'The `ETag` of the webhook that is to be changed, or several, or `*`'),
    ApiResponse({
      status: 201,
      description: 'The new webhook, with its secret',
      type: CreatedWebhookDto,
      headers,
    }),
    ApiResponse({ status: 200, description: 'The webhook as it is now', type: WebhookDto, headers }),
  );

export const UpdateDocs = () =>
  applyDecorators(
    ApiBody({
      schema: jsonSchemaOf(bodies.update),
      examples: { disable: { summary: 'Switch off', value: { id: ID, enabled: false } } },
    }),
    tagHeader('If-Match', 'The `ETag` of the webhook that is to be changed, or several, or `*`'),
    ApiResponse({ status: 200, description: 'The webhook as it is now', type: WebhookDto, headers }),
  );

export const FindDocs = () =>
  applyDecorators(
    tagHeader('If-None-Match', 'The `ETag` of the webhook that the caller has, or several, or `*`'),
    ApiResponse({ status: 200, description: 'The webhook', type: WebhookDto, headers }),
    ApiResponse({ status: 304, description: 'It is as `If-None-Match` names it; there is no body', headers }),
  );
