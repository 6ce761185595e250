import { applyDecorators } from '@nestjs/common';
import { RETRY_REFUSALS } from '../../engine/replay/retry.repository.js';
import { jsonSchemaOf } from '../../platform/json/json-schema.js';
import { answerOf, uuid } from '../../rest/answer.js';
import { ApiBody, ApiExtraModels, ApiResponse, ApiSchema, getSchemaPath } from '../../rest/docs.js';
import { WebhookTriggerDetailDto } from '../dto/trigger.dto.js';
import { retryManyBody, retryOneBody } from '../dto/trigger-query.js';
import type { RetriedTriggers, SkippedTrigger } from './trigger-retry.service.js';

const ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46';
const OTHER_ID = '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b47';

@ApiSchema({ description: 'A trigger that was not retried' })
class WebhookSkippedTriggerDto extends answerOf<SkippedTrigger>({
  id: { ...uuid, example: OTHER_ID },
  code: { enum: RETRY_REFUSALS, example: 'trigger_delivering' },
}) {}

@ApiSchema({ description: 'What became of a request to retry many triggers' })
export class WebhookRetriedTriggersDto extends answerOf<RetriedTriggers>({
  triggers: { example: 1, description: 'Triggers that are due now' },
  skipped: { type: [WebhookSkippedTriggerDto], description: 'The others' },
}) {}

/** The two bodies, and the two answers, of the call. */
export const RetryDocs = () =>
  applyDecorators(
    ApiExtraModels(WebhookTriggerDetailDto, WebhookRetriedTriggersDto),
    ApiBody({
      schema: { oneOf: [jsonSchemaOf(retryOneBody), jsonSchemaOf(retryManyBody)] },
      examples: {
        one: { summary: 'One trigger', value: { id: ID } },
        many: { summary: 'Many', value: { ids: [ID, OTHER_ID] } },
      },
    }),
    ApiResponse({
      status: 202,
      description: 'The trigger, or, for `ids`, how many are due',
      schema: {
        oneOf: [
          { $ref: getSchemaPath(WebhookTriggerDetailDto) },
          { $ref: getSchemaPath(WebhookRetriedTriggersDto) },
        ],
      },
    }),
  );
