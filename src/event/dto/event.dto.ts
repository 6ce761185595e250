import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Expose, plainToInstance } from 'class-transformer';
import type { EventEntity } from '../event.entity.js';
import type { EventKind } from '../event-kinds.js';

@ApiSchema({ description: 'A kind of event that a webhook is subscribed to' })
export class WebhookEventDto {
  @Expose()
  @ApiProperty({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b43' })
  id: string;
  @Expose()
  @ApiProperty({ example: true })
  enabled: boolean;
  @Expose()
  @ApiProperty({ example: 'ANALYSIS_FINISHED' })
  kind: string;
  @Expose()
  @ApiProperty({ example: 'ANALYSIS_FINISHED', description: 'Always equal to `kind`' })
  event_kind: string;
  @Expose()
  @ApiProperty({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  webhook_id: string;
}

export function toEventDto(event: EventEntity): WebhookEventDto {
  const plain = { ...event, event_kind: event.kind, webhook_id: event.webhookId };
  return plainToInstance(WebhookEventDto, plain, { excludeExtraneousValues: true });
}

@ApiSchema({
  description: 'A kind of event, with the JSON Schema and an example of what webhooks receive for it',
})
export class WebhookEventKindDto {
  @ApiProperty({ example: 'ANALYSIS_FINISHED' })
  kind: string;
  @ApiProperty({ example: 'ANALYSIS_FINISHED' })
  event_kind: string;
  @ApiProperty({ example: 'An analysis of a record finished.' })
  description: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of the payload',
    example: { type: 'object', required: ['data', 'triggered_at', 'event_kind'] },
  })
  schema: Record<string, unknown>;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'A payload',
    example: {
      data: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
      triggered_at: '2026-11-21T10:15:30.123Z',
      event_kind: 'ANALYSIS_FINISHED',
    },
  })
  example: Record<string, unknown>;
}

@ApiSchema({ description: 'All kinds of event' })
export class WebhookEventKindListDto {
  @ApiProperty({ type: [WebhookEventKindDto] })
  data: WebhookEventKindDto[];
  @ApiProperty({ type: String, nullable: true, example: null })
  next_cursor: null;
}

export function toEventKindDto(kind: string, definition: EventKind): WebhookEventKindDto {
  return { kind, event_kind: kind, ...definition };
}
