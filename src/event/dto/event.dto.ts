import type { Filter } from '../../engine/filter/filter.js';
import { withRawNumbers } from '../../platform/json/exact-json.js';
import { ApiSchema } from '../../rest/docs.js';
import { Field, nextCursor, toAnswer } from '../../rest/fields.js';
import type { WebhookEventKind } from '../event-kinds.js';
import type { EventKind } from '../payload-docs.js';
import type { WebhookEvent } from '../webhook-event.js';

@ApiSchema({ description: 'A kind of event that a webhook is subscribed to' })
export class WebhookEventDto {
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b43' })
  id: string;
  @Field({ example: true })
  enabled: boolean;
  @Field({ type: String, example: 'ANALYSIS_FINISHED' })
  kind: WebhookEventKind;
  @Field({ type: String, example: 'ANALYSIS_FINISHED', description: 'Always equal to `kind`' })
  event_kind: WebhookEventKind;
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  webhook_id: string;
  @Field({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description: 'Conditions on the record that a notification must meet; null for none',
  })
  filter: Filter | null;
}

export const toEventDto = (event: WebhookEvent): WebhookEventDto =>
  toAnswer(WebhookEventDto, { ...event, filter: withRawNumbers(event.filter) });

@ApiSchema({
  description: 'A kind of event, with the JSON Schema and an example of what webhooks receive for it',
})
export class WebhookEventKindDto {
  @Field({ example: 'ANALYSIS_FINISHED' })
  kind: string;
  @Field({ example: 'ANALYSIS_FINISHED' })
  event_kind: string;
  @Field({ example: 'An analysis of a record finished.' })
  description: string;
  @Field({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of the payload',
    example: { type: 'object', required: ['data', 'triggered_at', 'event_kind'] },
  })
  schema: Record<string, unknown>;
  @Field({
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
  @Field({ type: [WebhookEventKindDto] })
  data: WebhookEventKindDto[];
  @Field({ ...nextCursor, example: null })
  next_cursor: null;
}

export function toEventKindDto(kind: string, definition: EventKind): WebhookEventKindDto {
  return { kind, event_kind: kind, ...definition };
}
