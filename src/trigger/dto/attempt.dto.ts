import { ApiSchema } from '@nestjs/swagger';
import { Field, nextCursor, toAnswer } from '../../rest/fields.js';
import type { AttemptEntity } from '../attempt/attempt.entity.js';

export const dateTime = {
  type: String,
  format: 'date-time',
  nullable: true,
  example: '2026-11-21T10:15:30.123Z',
} as const;

@ApiSchema({ description: 'Why an attempt failed' })
export class WebhookAttemptErrorDto {
  @Field({ example: 'http_status' })
  code: string;
  @Field({ example: 'The receiver answered 503.' })
  message: string;
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
  @Field({ ...dateTime, from: 'beginAt' })
  begin: string;
  @Field({ ...dateTime, from: 'endAt' })
  end: string;
  @Field({ example: 12 })
  duration_ms: number;
  @Field({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Milliseconds from the start of the attempt to the end of dns, connect, tls and headers',
    example: { connect: 2, headers: 11 },
  })
  phases: Record<string, number>;
  @Field({ type: WebhookResponseDataDto, nullable: true })
  response_data: WebhookResponseDataDto | null;
  @Field({ type: WebhookAttemptErrorDto, nullable: true, example: null })
  error: WebhookAttemptErrorDto | null;
}

@ApiSchema({ description: 'A page of the attempts of a trigger, newest first' })
export class WebhookAttemptListDto {
  @Field({ type: [WebhookAttemptDto] })
  data: WebhookAttemptDto[];
  @Field(nextCursor)
  next_cursor: string | null;
}

export function toAttemptDto(attempt: AttemptEntity): WebhookAttemptDto {
  return toAnswer(WebhookAttemptDto, {
    ...attempt,
    durationMs: attempt.endAt - attempt.beginAt,
    phases: JSON.parse(attempt.phases),
    responseData: responseData(attempt, true),
    error: errorOf(attempt),
  });
}

/** @param withBody true to show the body of the response. */
export function responseData({ response, responseBody, beginAt, endAt }: AttemptEntity, withBody: boolean) {
  if (response === null) return null;
  const { status, headers, truncated = false } = JSON.parse(response);
  const body = withBody ? { body: responseBody ?? '' } : {};
  return { status, headers, ...body, truncated, duration_ms: endAt - beginAt };
}

export function errorOf({ errorCode, errorMessage }: AttemptEntity) {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' };
}
