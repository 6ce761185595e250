import { applyDecorators } from '@nestjs/common';
import { EventKinds } from '../../event/event-kinds.js';
import { jsonSchemaOf } from '../../platform/json/json-schema.js';
import { uuid } from '../../rest/answer.js';
import { CreateOrDeleteBodies } from '../../rest/create-or-delete.js';
import { ApiBody, ApiExtraModels, ApiHeader, ApiResponse } from '../../rest/docs.js';
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
const ifMatch = tagHeader('If-Match', 'The `ETag` of the webhook that is to be changed, or several, or `*`');
const found = (description: string) => ApiResponse({ status: 200, description, type: WebhookDto, headers });
const created = (description: string) =>
  ApiResponse({ status: 201, description, type: CreatedWebhookDto, headers });
const { body: bodies } = webhookBodies(new EventKinds().field(), {
  url: () => null,
  schedule: () => null,
  now: () => 0,
});

const NEW_WEBHOOK = {
  name: 'CRM sync',
  url: 'https://crm.example.com/hooks',
  headers: { 'X-Team': 'risk' },
  events: ['ANALYSIS_FINISHED', { kind: 'RECORD_FINISHED', enabled: true }],
};

export const CreateOrDeleteDocs = () =>
  applyDecorators(
    CreateOrDeleteBodies(bodies.create, { create: NEW_WEBHOOK, delete: { id: ID } }, CreatedWebhookDto),
    created('The webhook, with its secret'),
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
    ifMatch,
    created('The new webhook, with its secret'),
    found('The webhook as it is now'),
  );

export const UpdateDocs = () =>
  applyDecorators(
    ApiBody({
      schema: jsonSchemaOf(bodies.update),
      examples: { disable: { summary: 'Switch off', value: { id: ID, enabled: false } } },
    }),
    ifMatch,
    found('The webhook as it is now'),
  );

export const FindDocs = () =>
  applyDecorators(
    tagHeader('If-None-Match', 'The `ETag` of the webhook that the caller has, or several, or `*`'),
    found('The webhook'),
    ApiResponse({ status: 304, description: 'It is as `If-None-Match` names it; there is no body', headers }),
  );
