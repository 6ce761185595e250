import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose, plainToInstance } from 'class-transformer';
import { AsDateTime } from '../../common/json/json-time.js';
import type { AttemptEntity } from '../attempt/attempt.entity.js';

export const dateTime = {
  type: String,
  format: 'date-time',
  nullable: true,
  example: '2026-11-21T10:15:30.123Z',
} as const;

@ApiSchema({ description: 'Why an attempt failed' })
export class WebhookAttemptErrorDto {
  @ApiProperty({ example: 'http_status' })
  code: string;
  @ApiProperty({ example: 'The receiver answered 503.' })
  message: string;
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

@ApiSchema({ description: 'A page of the attempts of a trigger, newest first' })
export class WebhookAttemptListDto {
  @ApiProperty({ type: [WebhookAttemptDto] })
  data: WebhookAttemptDto[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor: string | null;
}

export function toAttemptDto(attempt: AttemptEntity): WebhookAttemptDto {
  const dto = plainToInstance(
    WebhookAttemptDto,
    {
      number: attempt.number,
      begin: attempt.beginAt,
      end: attempt.endAt,
      duration_ms: attempt.endAt - attempt.beginAt,
      phases: JSON.parse(attempt.phases),
    },
    { excludeExtraneousValues: true },
  );
  dto.response_data = responseData(attempt, true);
  dto.error = errorOf(attempt);
  return dto;
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
