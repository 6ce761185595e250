import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose, plainToInstance } from 'class-transformer';
import { AsDateTime } from '../../common/json/json-time.js';
import type { StoredJson } from '../../common/json/stored-json.js';
import type { ShownRequest } from '../attempt/request-head.js';
import { TRIGGER_STATUSES, type TriggerStatus } from '../trigger.entity.js';
import type { TriggerView } from '../trigger.service.js';
import {
  dateTime,
  errorOf,
  responseData,
  toAttemptDto,
  WebhookAttemptDto,
  WebhookAttemptErrorDto,
  WebhookResponseDataDto,
} from './attempt.dto.js';

const uuid = { format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' } as const;

@ApiSchema({ description: 'What was sent, credentials masked' })
export class WebhookRequestDataDto {
  @ApiProperty({ example: 'POST' })
  method: 'POST';
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null before the first attempt',
    example: 'https://crm.example.com/hooks',
  })
  url: string | null;
  @ApiProperty({
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
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'The JSON body sent, character for character',
    example: {
      data: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
      triggered_at: '2026-11-21T10:15:30.123Z',
      event_kind: 'RECORD_FINISHED',
    },
  })
  /** A mark of {@link StoredJson}. */
  body?: string;
}

@ApiSchema({ description: 'One firing of a webhook' })
export class WebhookTriggerDto {
  @Expose()
  @ApiProperty(uuid)
  id: string;
  @Expose()
  @ApiProperty(uuid)
  notification_id: string;
  @Expose()
  @ApiProperty(uuid)
  webhook_id: string;
  @Expose()
  @ApiProperty({ ...uuid, type: String, nullable: true, description: 'null for a test' })
  event_id: string | null;
  @Expose()
  @ApiProperty({ example: 'RECORD_FINISHED' })
  event_kind: string;
  @Expose()
  @ApiProperty({ example: 'acme' })
  user_id: string;
  @Expose()
  @ApiProperty({ enum: TRIGGER_STATUSES, example: 'SUCCEEDED' })
  status: TriggerStatus;
  @Expose()
  @ApiProperty({ example: 1 })
  attempt_count: number;
  @Expose()
  @AsDateTime()
  @ApiProperty(dateTime)
  begin: string | null;
  @Expose()
  @AsDateTime()
  @ApiProperty(dateTime)
  end: string | null;
  @Expose()
  @AsDateTime()
  @ApiProperty({ ...dateTime, example: null })
  next_attempt_at: string | null;
  @Expose()
  @ApiProperty({ type: WebhookRequestDataDto })
  request_data: WebhookRequestDataDto;
  @Expose()
  @ApiProperty({ type: WebhookResponseDataDto, nullable: true })
  response_data: WebhookResponseDataDto | null;
  @Expose()
  @ApiProperty({ type: WebhookAttemptErrorDto, nullable: true, example: null })
  error: WebhookAttemptErrorDto | null;
}

@ApiSchema({ description: 'One firing of a webhook, with its newest attempts' })
export class WebhookTriggerDetailDto extends WebhookTriggerDto {
  @Expose()
  @ApiProperty({ type: [WebhookAttemptDto], description: 'The newest 20, the last one last' })
  attempts: WebhookAttemptDto[];
}

@ApiSchema({ description: 'A page of triggers, newest first' })
export class WebhookTriggerListDto {
  @ApiProperty({ type: [WebhookTriggerDto] })
  data: WebhookTriggerDto[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor: string | null;
}

const only = { excludeExtraneousValues: true };

/** @param stored takes the request's body; null to leave out the bodies of request and response. */
export function toTriggerDto(
  { trigger, lastAttempt, request, body }: TriggerView,
  stored: StoredJson | null,
): WebhookTriggerDto {
  const dto = plainToInstance(
    WebhookTriggerDto,
    {
      id: trigger.id,
      notification_id: trigger.notificationId,
      webhook_id: trigger.webhookId,
      event_id: trigger.eventId,
      event_kind: trigger.eventKind,
      user_id: trigger.userId,
      status: trigger.status,
      attempt_count: trigger.attemptCount,
      begin: trigger.beginAt,
      end: trigger.endAt,
      next_attempt_at: trigger.status === 'PENDING' ? trigger.nextAttemptAt : null,
    },
    only,
  );
  dto.request_data = requestData(request, body && stored ? stored.markOf(body) : null);
  dto.response_data = lastAttempt && responseData(lastAttempt, stored !== null);
  dto.error = lastAttempt && errorOf(lastAttempt);
  return dto;
}

export function toTriggerDetailDto(view: TriggerView, stored: StoredJson): WebhookTriggerDetailDto {
  return Object.assign(new WebhookTriggerDetailDto(), toTriggerDto(view, stored), {
    attempts: (view.attempts ?? []).map(toAttemptDto),
  });
}

function requestData(request: ShownRequest | null, body: string | null): WebhookRequestDataDto {
  const { url, headers } = request ?? { url: null, headers: {} };
  return { method: 'POST', url, headers, ...(body === null ? {} : { body }) };
}
