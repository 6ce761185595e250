import type { StoredJson } from '../../platform/json/stored-json.js';
import { answerOf, Field, listOf, timeOrNull, uuid } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { TRIGGER_STATUSES } from '../../store/tables/trigger/trigger.entity.js';
import type { RequestData, Trigger, TriggerError } from '../trigger.js';
import { WebhookAttemptDto, WebhookDiagnosisDto, WebhookResponseDataDto } from './attempt.dto.js';

@ApiSchema({ description: 'What was sent, credentials masked' })
class WebhookRequestDataDto extends answerOf<RequestData>({
  method: { example: 'POST' },
  url: {
    type: String,
    nullable: true,
    description: 'null before the first attempt',
    example: 'https://crm.example.com/hooks',
  },
  headers: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Credentials are masked',
    example: {
      'content-type': 'application/json; charset=utf-8',
      'X-Team': 'risk',
      Authorization: '********',
    },
  },
  // In answers a mark of StoredJson.
  body: {
    selfRequired: false,
    type: 'object',
    additionalProperties: true,
    description: 'The JSON body sent, character for character; left out once it is gone',
    example: {
      data: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
      triggered_at: '2026-11-21T10:15:30.123Z',
      event_kind: 'RECORD_FINISHED',
    },
  },
}) {}

@ApiSchema({ description: 'Why a trigger was not delivered' })
class WebhookTriggerErrorDto extends answerOf<TriggerError>({
  code: {
    type: String,
    description:
      'That of the last attempt; `erased` if it was cancelled because its data was erased, `superseded` because a newer notification took its place',
    example: 'http_status',
  },
  message: { example: 'The receiver answered 503.' },
}) {}

@ApiSchema({ description: 'One firing of a webhook' })
export class WebhookTriggerDto extends answerOf<Trigger>({
  id: uuid,
  notification_id: uuid,
  webhook_id: uuid,
  event_id: { ...uuid, nullable: true, description: 'null for a test' },
  event_kind: { example: 'RECORD_FINISHED' },
  user_id: { example: 'acme' },
  status: { enum: TRIGGER_STATUSES, example: 'SUCCEEDED' },
  attempt_count: { example: 1 },
  begin: timeOrNull,
  end: timeOrNull,
  next_attempt_at: { ...timeOrNull, example: null },
  request_data: { type: WebhookRequestDataDto },
  response_data: { type: WebhookResponseDataDto, nullable: true },
  error: { type: WebhookTriggerErrorDto, nullable: true, example: null },
  diagnosis: { type: WebhookDiagnosisDto, nullable: true, example: null },
}) {}

@ApiSchema({ description: 'One firing of a webhook, with its newest attempts' })
export class WebhookTriggerDetailDto extends WebhookTriggerDto {
  @Field({ type: [WebhookAttemptDto], description: 'The newest 20, the last one last' })
  attempts: WebhookAttemptDto[];
}

@ApiSchema({ description: 'A page of triggers, newest first' })
export class WebhookTriggerListDto extends listOf(WebhookTriggerDto) {}

/** With the request's body, if it is to be shown, as a mark. @param stored takes the body. */
export function withMark<T extends Trigger>(trigger: T, stored: StoredJson): T {
  const { requestData } = trigger;
  const { body } = requestData;
  return body === undefined
    ? trigger
    : { ...trigger, requestData: { ...requestData, body: stored.markOf(body) } };
}
