import { z } from 'zod';
import { answerOf, time, uuid } from '../../rest/answer.js';
import { ApiSchema } from '../../rest/docs.js';
import { kindName, userId } from '../../rest/fields.js';

export const notificationStreamQuery = z.strictObject({
  event_kind: kindName.optional(),
  user_id: userId.optional(),
});
export type NotificationStreamQuery = z.infer<typeof notificationStreamQuery>;

/** A notification with the bytes that are sent. */
interface StreamedNotification {
  id: string;
  eventKind: string;
  triggeredAt: string;
  body: string;
}

@ApiSchema({ description: 'An accepted notification, as a stream shows it' })
export class WebhookStreamedNotificationDto extends answerOf<StreamedNotification>({
  id: uuid,
  event_kind: { example: 'RECORD_FINISHED' },
  triggered_at: time,
  body: {
    description: 'What webhooks get, byte for byte',
    example:
      '{"data":{"id":"rec_1","analysis":[{"id":"ana_1"}]},"triggered_at":"2026-11-21T10:15:30.123Z","event_kind":"RECORD_FINISHED"}',
  },
}) {}
