import type { AttemptErrorCode } from '../../network/attempt-error.js';
import type { AttemptPhases } from '../../network/phase-clock.js';
import { ApiSchema } from '../../rest/docs.js';
import { Field, nextCursor, toAnswer } from '../../rest/fields.js';
import { ATTEMPT_CAUSES, type AttemptCause } from '../../store/tables/trigger/trigger.entity.js';
import type { Attempt, ResponseData } from '../attempt/attempt.js';

export const dateTime = {
  type: String,
  format: 'date-time',
  nullable: true,
  example: '2026-11-21T10:15:30.123Z',
} as const;

@ApiSchema({ description: 'Why an attempt failed' })
export class WebhookAttemptErrorDto {
  @Field({ type: String, example: 'http_status' })
  code: AttemptErrorCode;
  @Field({ example: 'The receiver answered 503.' })
  message: string;
}

@ApiSchema({ description: 'What an error means, in plain words' })
export class WebhookDiagnosisDto {
  @Field({ example: 'The receiver answered 503: it is overloaded or down for maintenance.' })
  summary: string;
  @Field({
    example:
      'Look at the logs and the load of your service. While the schedule lasts, the request is sent again.',
  })
  advice: string;
}

@ApiSchema({ description: 'What came back, cut where it is too long' })
export class WebhookResponseDataDto {
  @Field({ example: 200 })
  status: number;
  @Field({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'text/plain' },
  })
  headers: Record<string, string>;
  @Field({ required: false, description: 'At most 16 KiB, as text', example: 'thanks' })
  body?: string;
  @Field({ example: false })
  truncated: boolean;
  @Field({ example: 12 })
  duration_ms: number;
}

@ApiSchema({ description: 'One attempt to deliver' })
export class WebhookAttemptDto {
  @Field({ example: 1 })
  number: number;
  @Field({
    enum: ATTEMPT_CAUSES,
    example: 'schedule',
    description:
      'Why it was made; `probe` tests a receiver that was left alone after failures, or whose webhook was disabled for them',
  })
  cause: AttemptCause;
  @Field(dateTime)
  begin: string;
  @Field(dateTime)
  end: string;
  @Field({ example: 12 })
  duration_ms: number;
  @Field({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Milliseconds from the start of the attempt to the end of dns, connect, tls and headers',
    example: { connect: 2, headers: 11 },
  })
  phases: AttemptPhases;
  @Field({ type: WebhookResponseDataDto, nullable: true })
  response_data: WebhookResponseDataDto | null;
  @Field({ type: WebhookAttemptErrorDto, nullable: true, example: null })
  error: WebhookAttemptErrorDto | null;
  @Field({ type: WebhookDiagnosisDto, nullable: true, example: null })
  diagnosis: WebhookDiagnosisDto | null;
}

@ApiSchema({ description: 'A page of the attempts of a trigger, newest first' })
export class WebhookAttemptListDto {
  @Field({ type: [WebhookAttemptDto] })
  data: WebhookAttemptDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

export const toAttemptDto = (attempt: Attempt): WebhookAttemptDto =>
  toAnswer(WebhookAttemptDto, { ...attempt, responseData: toResponseData(attempt.responseData) });

/** By hand, because a list has many and only one name differs. */
export function toResponseData(response: ResponseData | null): WebhookResponseDataDto | null {
  if (response === null) return null;
  const { durationMs, ...same } = response;
  return { ...same, duration_ms: durationMs };
}
