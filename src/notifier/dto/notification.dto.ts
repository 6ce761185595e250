import { z } from 'zod';
import type { AcceptedTrigger } from '../../engine/accept/acceptor.js';
import { isObject } from '../../platform/json/column-json.js';
import { answerOf, time, uuid } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { asciiLine, id, userId } from '../../rest/fields.js';
import { inputLike } from '../../rest/input.js';
import type { AcceptedNotification } from '../accepted-notification.js';

/** All but the record, which is read from its source text. */
export const notificationEnvelope = z.strictObject({
  event_kind: z.string({ error: 'must be an event kind' }),
  user_id: userId,
  // Not an object's schema: that would copy it.
  record: z.custom(isObject, { error: 'must be an object' }),
  analysis_id: z.string({ error: 'must be a string' }).min(1, { error: 'must not be empty' }).optional(),
});

export const testBody = z.strictObject({ id, event_kind: asciiLine(64).optional() });
export type TestBody = z.infer<typeof testBody>;
export const testInput = inputLike(testBody);

@ApiSchema({ description: 'A trigger of a notification, and its webhook' })
class WebhookAcceptedTriggerDto extends answerOf<AcceptedTrigger>({
  id: { ...uuid, example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b46' },
  webhook_id: uuid,
}) {}

@ApiSchema({ description: 'A notification that is stored: it will be sent' })
export class WebhookAcceptedNotificationDto extends answerOf<Omit<AcceptedNotification, 'replayed'>>({
  id: {
    ...uuid,
    example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b45',
    description: 'Sent to the receivers as webhook-id',
  },
  event_kind: { example: 'ANALYSIS_FINISHED' },
  triggered_at: time,
  triggers: { type: [WebhookAcceptedTriggerDto], description: 'One for each subscribed webhook' },
}) {}
