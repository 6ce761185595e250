import { z } from 'zod';
import { ApiSchema } from '../../rest/docs.js';
import { asciiLine, Field, id, userId } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';
import type { AcceptedNotification } from '../accepted-notification.js';

/** All but the record, which is read from its source text. */
export const notificationEnvelope = z.strictObject({
  event_kind: z.string({ error: 'must be an event kind' }),
  user_id: userId,
  // Not an object's schema: that would copy it.
  record: z.custom((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
  }),
  analysis_id: z.string({ error: 'must be a string' }).min(1, { error: 'must not be empty' }).optional(),
});

export const testBody = z.strictObject({ id, event_kind: asciiLine(64).optional() });
export type TestBody = z.infer<typeof testBody>;
export const testInput = inputLike(testBody);

@ApiSchema({ description: 'A trigger of a notification, and its webhook' })
export class WebhookAcceptedTriggerDto {
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46' })
  id: string;
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  webhook_id: string;
}

@ApiSchema({ description: 'A notification that is stored: it will be sent' })
export class WebhookAcceptedNotificationDto {
  @Field({
    format: 'uuid',
    example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45',
    description: 'Sent to the receivers as webhook-id',
  })
  id: string;
  @Field({ example: 'ANALYSIS_FINISHED' })
  event_kind: string;
  @Field({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  triggered_at: string;
  @Field({ type: [WebhookAcceptedTriggerDto], description: 'One for each subscribed webhook' })
  triggers: WebhookAcceptedTriggerDto[];
}

export function toAcceptedDto({
  id,
  eventKind,
  triggeredAt,
  triggers,
}: AcceptedNotification): WebhookAcceptedNotificationDto {
  return {
    id,
    event_kind: eventKind,
    triggered_at: triggeredAt,
    triggers: triggers.map((trigger) => ({ id: trigger.id, webhook_id: trigger.webhookId })),
  };
}
