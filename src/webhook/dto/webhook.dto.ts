import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose, plainToInstance, Transform, Type } from 'class-transformer';
import { AsDateTime, toDateTime } from '../../common/json/json-time.js';
import { toEventDto, WebhookEventDto } from '../../event/dto/event.dto.js';
import { maskHeaders } from '../headers.js';
import type { DisabledReason } from '../webhook.entity.js';
import type { Webhook } from '../webhook.service.js';

@ApiSchema({ description: 'A webhook: where to send, and what' })
export class WebhookDto {
  @Expose()
  @ApiProperty({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  id: string;
  @Expose()
  @ApiProperty({ example: 'acme' })
  user_id: string;
  @Expose()
  @ApiProperty({ example: 'CRM sync' })
  name: string;
  @Expose()
  @ApiProperty({ example: 'https://crm.example.com/hooks' })
  url: string;
  @Expose()
  @ApiProperty({ example: true })
  enabled: boolean;
  @Expose()
  @ApiProperty({ type: String, nullable: true, example: null })
  description: string | null;
  @Expose()
  @Transform(({ value }) => value, { toClassOnly: true })
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Values that may be credentials are answered as `********`',
    example: { 'X-Team': 'risk', Authorization: '********' },
  })
  headers: Record<string, string>;
  @Expose()
  @Type(() => WebhookEventDto)
  @ApiProperty({ type: [WebhookEventDto] })
  events: WebhookEventDto[];
  @Expose()
  @ApiProperty({ enum: ['gone', 'failing'], nullable: true, example: null })
  disabled_reason: DisabledReason | null;
  @Expose()
  @ApiProperty({
    type: [String],
    format: 'date-time',
    example: [],
    description: 'When the previous signing secrets that still sign cease to, the newest first',
  })
  previous_secrets_expire_at: string[];
  @Expose()
  @AsDateTime()
  @ApiProperty({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  created_at: string;
  @Expose()
  @AsDateTime()
  @ApiProperty({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  updated_at: string;
}

@ApiSchema({ description: 'A new webhook, with its signing secret' })
export class CreatedWebhookDto extends WebhookDto {
  @ApiProperty({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    description: 'Verifies the requests sent (Standard Webhooks)',
  })
  secret: string;
}

@ApiSchema({ description: 'A page of webhooks, newest first' })
export class WebhookListDto {
  @ApiProperty({ type: [WebhookDto] })
  data: WebhookDto[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor: string | null;
}

export function toWebhookDto({ row, headers, events, previousSecretsExpireAt }: Webhook): WebhookDto {
  const dto = plainToInstance(
    WebhookDto,
    {
      ...row,
      user_id: row.userId,
      events: events.map(toEventDto),
      disabled_reason: row.disabledReason,
      previous_secrets_expire_at: previousSecretsExpireAt.map(toDateTime),
      created_at: row.createdAt,
      updated_at: row.updatedAt,
    },
    { excludeExtraneousValues: true },
  );
  // Past class-transformer, which drops header names such as "constructor".
  dto.headers = maskHeaders(headers);
  return dto;
}
