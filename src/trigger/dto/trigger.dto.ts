import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Expose, plainToInstance } from 'class-transformer';
import { parseExact } from '../../common/json-text.js';
import { AsDateTime } from '../../common/json-time.js';
import type { AttemptEntity } from '../attempt.entity.js';
import type { ShownRequest } from '../request-head.js';
import { TRIGGER_STATUSES, type TriggerStatus } from '../trigger.entity.js';
import type { TriggerView } from '../trigger.service.js';

const dateTime = {
  type: String,
  format: 'date-time',
  nullable: true,
  example: '2026-11-21T10:15:30.123Z',
} as const;
const uuid = { format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' } as const;

@ApiSchema({ description: 'Why an attempt failed' })
export class WebhookAttemptErrorDto {
  @ApiProperty({ example: 'http_status' })
  code: string;
  @ApiProperty({ example: 'The receiver answered 503.' })
  message: string;
}

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
    description: 'The JSON body sent',
    example: {
      data: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
      triggered_at: '2026-11-21T10:15:30.123Z',
      event_kind: 'RECORD_FINISHED',
    },
  })
  body?: Record<string, unknown>;
}

@ApiSchema({ description: 'What came back, cut where it is too long' })
export class WebhookResponseDataDto {
  @ApiProperty({ example: 200 })
  status: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'text/plain' },
  })
  headers: Record<string, string>;
  @ApiProperty({ required: false, description: 'At most 16 KiB, as text', example: 'thanks' })
  body?: string;
  @ApiProperty({ example: false })
  truncated: boolean;
  @ApiProperty({ example: 12 })
  duration_ms: number;
}

@ApiSchema({ description: 'One attempt to deliver' })
export class WebhookAttemptDto {
  @Expose()
  @ApiProperty({ example: 1 })
  number: number;
  @Expose()
  @AsDateTime()
  @ApiProperty(dateTime)
  begin: string;
  @Expose()
  @AsDateTime()
  @ApiProperty(dateTime)
  end: string;
  @Expose()
  @ApiProperty({ example: 12 })
  duration_ms: number;
  @Expose()
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Milliseconds from the start of the attempt to the end of dns, connect, tls and headers',
    example: { connect: 2, headers: 11 },
  })
  phases: Record<string, number>;
  @Expose()
  @ApiProperty({ type: WebhookResponseDataDto, nullable: true })
  response_data: WebhookResponseDataDto | null;
  @Expose()
  @ApiProperty({ type: WebhookAttemptErrorDto, nullable: true, example: null })
  error: WebhookAttemptErrorDto | null;
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

@ApiSchema({ description: 'One firing of a webhook, with all its attempts' })
export class WebhookTriggerDetailDto extends WebhookTriggerDto {
  @Expose()
  @ApiProperty({ type: [WebhookAttemptDto] })
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

/** @param withData true to show the bodies of request and response. */
export function toTriggerDto(
  { trigger, lastAttempt, request, body }: TriggerView,
  withData: boolean,
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
  dto.request_data = requestData(request, withData ? body : null);
  dto.response_data = lastAttempt && responseData(lastAttempt, withData);
  dto.error = lastAttempt && errorOf(lastAttempt);
  return dto;
}

export function toTriggerDetailDto(view: TriggerView): WebhookTriggerDetailDto {
  return Object.assign(new WebhookTriggerDetailDto(), toTriggerDto(view, true), {
    attempts: (view.attempts ?? []).map(toAttemptDto),
  });
}

function toAttemptDto(attempt: AttemptEntity): WebhookAttemptDto {
  const dto = plainToInstance(
    WebhookAttemptDto,
    {
      number: attempt.number,
      begin: attempt.beginAt,
      end: attempt.endAt,
      duration_ms: attempt.endAt - attempt.beginAt,
      phases: JSON.parse(attempt.phases),
    },
    only,
  );
  dto.response_data = responseData(attempt, true);
  dto.error = errorOf(attempt);
  return dto;
}

function requestData(request: ShownRequest | null, body: Buffer | null): WebhookRequestDataDto {
  const { url, headers } = request ?? { url: null, headers: {} };
  return {
    method: 'POST',
    url,
    headers,
    ...(body ? { body: parseExact(body.toString('utf8')) as Record<string, unknown> } : {}),
  };
}

function responseData({ response, responseBody, beginAt, endAt }: AttemptEntity, withBody: boolean) {
  if (response === null) return null;
  const { status, headers, truncated = false } = JSON.parse(response);
  const body = withBody ? { body: responseBody ?? '' } : {};
  return { status, headers, ...body, truncated, duration_ms: endAt - beginAt };
}

function errorOf({ errorCode, errorMessage }: AttemptEntity) {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
}
