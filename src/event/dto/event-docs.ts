import { applyDecorators } from '@nestjs/common';
import { jsonSchemaOf } from '../../platform/json/json-schema.js';
import { ApiBody, ApiExtraModels, ApiResponse, getSchemaPath } from '../../rest/docs.js';
import { idQuery } from '../../rest/fields.js';
import { WebhookDeletedDto } from '../../rest/operation.js';
import { EventKinds } from '../event-kinds.js';
import { WebhookEventDto } from './event.dto.js';
import { createEventBody } from './event-body.js';

/** The two bodies, and the two answers, of the shared POST. */
export const CreateOrDeleteEventDocs = () =>
  applyDecorators(
    ApiExtraModels(WebhookEventDto, WebhookDeletedDto),
    ApiBody({
      schema: { oneOf: [jsonSchemaOf(createEventBody(new EventKinds().field())), jsonSchemaOf(idQuery)] },
      examples: {
        create: {
          summary: 'Create',
          value: { webhook_id: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42', kind: 'STATUS_CHANGED' },
        },
        delete: { summary: 'Delete', value: { id: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b43' } },
      },
    }),
    ApiResponse({ status: 201, description: 'The event', type: WebhookEventDto }),
    ApiResponse({ status: 200, description: 'Deleted', schema: { $ref: getSchemaPath(WebhookDeletedDto) } }),
  );
