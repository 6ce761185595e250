import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { idQuery } from '../../common/fields.js';
import { jsonSchemaOf } from '../../common/json-schema.js';
import { DeletedDto } from '../../common/operation.js';
import { EventKinds } from '../../event/event-kinds.js';
import { CreatedWebhookDto } from './webhook.dto.js';
import { webhookBodies } from './webhook-body.js';

const ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42';
const bodies = webhookBodies(new EventKinds().field(), () => null);

/** The two bodies, and the two answers, of the shared POST. */
export const CreateOrDeleteDocs = () =>
  applyDecorators(
    ApiExtraModels(CreatedWebhookDto, DeletedDto),
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
    ApiResponse({ status: 201, description: 'The webhook, with its secret', type: CreatedWebhookDto }),
    ApiResponse({ status: 200, description: 'Deleted', schema: { $ref: getSchemaPath(DeletedDto) } }),
  );

export const UpdateDocs = () =>
  ApiBody({
    schema: jsonSchemaOf(bodies.update),
    examples: { disable: { summary: 'Switch off', value: { id: ID, enabled: false } } },
  });
