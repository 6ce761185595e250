import type { StoredJson } from '../../platform/json/stored-json.js';
import { ApiSchema } from '../../rest/docs.js';
import { Field, nextCursor, toAnswer } from '../../rest/fields.js';
import { TRIGGER_STATUSES, type TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import type { Trigger, TriggerDetail, TriggerError } from '../trigger.js';
import {
  dateTime,
  toAttemptDto,
  toResponseData,
  WebhookAttemptDto,
  WebhookDiagnosisDto,
  WebhookResponseDataDto,
} from './attempt.dto.js';

const uuid = { format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' } as const;

@ApiSchema({ description: 'What was sent, credentials masked' })
export class WebhookRequestDataDto {
  @Field({ example: 'POST' })
  method: 'POST';
  @Field({
    type: String,
    nullable: true,
    description: 'null before the first attempt',
    example: 'https://crm.example.com/hooks',
  })
  url: string | null;
  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Credentials are masked',
    example: {
      'content-type': 'application/json; charset=utf-8',
      'X-Team': 'risk',
      Authorization: '********',
    },
  })
  headers: Record<string, string>;
  @Field({
    selfRequired: false,
    type: 'object',
    additionalProperties: true,
    description: 'The JSON body sent, character for character; left out once it is gone',
    example: {
      data: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
      triggered_at: '2026-11-21T10:15:30.123Z',
      event_kind: 'RECORD_FINISHED',
    },
  })
  /** A mark of {@link StoredJson}. */
  body?: string;
}

@ApiSchema({ description: 'Why a trigger was not delivered' })
export class WebhookTriggerErrorDto {
  @Field({
    type: String,
    description:
      'That of the last attempt; `erased` if it was cancelled because its data was erased, `superseded` because a newer notification took its place',
    example: 'http_status',
  })
  code: TriggerError['code'];
  @Field({ example: 'The receiver answered 503.' })
  message: string;
}

@ApiSchema({ description: 'One firing of a webhook' })
export class WebhookTriggerDto {
  @Field(uuid)
  id: string;
  @Field(uuid)
  notification_id: string;
  @Field(uuid)
  webhook_id: string;
  @Field({ ...uuid, type: String, nullable: true, description: 'null for a test' })
  event_id: string | null;
  @Field({ example: 'RECORD_FINISHED' })
  event_kind: string;
  @Field({ example: 'acme' })
  user_id: string;
  @Field({ enum: TRIGGER_STATUSES, example: 'SUCCEEDED' })
  status: TriggerStatus;
  @Field({ example: 1 })
  attempt_count: number;
  @Field(dateTime)
  begin: string | null;
  @Field(dateTime)
  end: string | null;
  @Field({ ...dateTime, example: null })
  next_attempt_at: string | null;
  @Field({ type: WebhookRequestDataDto })
  request_data: WebhookRequestDataDto;
  @Field({ type: WebhookResponseDataDto, nullable: true })
  response_data: WebhookResponseDataDto | null;
  @Field({ type: WebhookTriggerErrorDto, nullable: true, example: null })
  error: WebhookTriggerErrorDto | null;
  @Field({ type: WebhookDiagnosisDto, nullable: true, example: null })
  diagnosis: WebhookDiagnosisDto | null;
}

@ApiSchema({ description: 'One firing of a webhook, with its newest attempts' })
export class WebhookTriggerDetailDto extends WebhookTriggerDto {
  @Field({ type: [WebhookAttemptDto], description: 'The newest 20, the last one last' })
  attempts: WebhookAttemptDto[];
}

@ApiSchema({ description: 'A page of triggers, newest first' })
export class WebhookTriggerListDto {
  @Field({ type: [WebhookTriggerDto] })
  data: WebhookTriggerDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

/** @param stored takes the request's body. */
export const toTriggerDto = (trigger: Trigger, stored: StoredJson): WebhookTriggerDto =>
  toAnswer(WebhookTriggerDto, shown(trigger, stored));

export const toTriggerDetailDto = (trigger: TriggerDetail, stored: StoredJson): WebhookTriggerDetailDto =>
  toAnswer(WebhookTriggerDetailDto, {
    ...shown(trigger, stored),
    attempts: trigger.attempts.map(toAttemptDto),
  });

function shown(trigger: Trigger, stored: StoredJson) {
  const { requestData, responseData } = trigger;
  const { body } = requestData;
  return {
    ...trigger,
    requestData: body === undefined ? requestData : { ...requestData, body: stored.markOf(body) },
    responseData: toResponseData(responseData),
  };
}
