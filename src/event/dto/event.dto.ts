import { withRawNumbers } from '../../platform/json/exact-json.js';
import { answerOf, nextCursor, uuid } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import type { EventKind } from '../payload-docs.js';
import type { WebhookEvent } from '../webhook-event.js';

@ApiSchema({ description: 'A kind of event that a webhook is subscribed to' })
export class WebhookEventDto extends answerOf<WebhookEvent>({
  id: { ...uuid, example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b43' },
  enabled: { example: true },
  kind: { example: 'ANALYSIS_FINISHED' },
  event_kind: { example: 'ANALYSIS_FINISHED', description: 'Always equal to `kind`' },
  webhook_id: uuid,
  filter: {
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: null,
    description: 'Conditions on the record that a notification must meet; null for none',
  },
}) {}

/** With the numbers of its filter as they were given. */
export const exactEvent = (event: WebhookEvent): WebhookEvent => ({
  ...event,
  filter: withRawNumbers(event.filter) as WebhookEvent['filter'],
});

@ApiSchema({
  description: 'A kind of event, with the JSON Schema and an example of what webhooks receive for it',
})
export class WebhookEventKindDto extends answerOf<EventKind & { kind: string; eventKind: string }>({
  kind: { example: 'ANALYSIS_FINISHED' },
  event_kind: { example: 'ANALYSIS_FINISHED' },
  description: { example: 'An analysis of a record finished.' },
  schema: {
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of the payload',
    example: { type: 'object', required: ['data', 'triggered_at', 'event_kind'] },
  },
  example: {
    type: 'object',
    additionalProperties: true,
    description: 'A payload',
    example: {
      data: { id: 'rec_1', analysis: [{ id: 'ana_1', status: 'VALID' }] },
      triggered_at: '2026-11-21T10:15:30.123Z',
      event_kind: 'ANALYSIS_FINISHED',
    },
  },
}) {}

@ApiSchema({ description: 'All kinds of event' })
export class WebhookEventKindListDto extends answerOf<{ data: WebhookEventKindDto[]; nextCursor: null }>({
  data: { type: [WebhookEventKindDto] },
  next_cursor: { ...nextCursor, example: null },
}) {}
