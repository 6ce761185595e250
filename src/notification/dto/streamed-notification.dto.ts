import { z } from 'zod';
import { toDateTime } from '../../platform/json/json-time.js';
import { ApiSchema } from '../../rest/docs.js';
import { Field, kindName, toAnswer, userId } from '../../rest/fields.js';

export const notificationStreamQuery = z.strictObject({
  event_kind: kindName.optional(),
  user_id: userId.optional(),
});
export type NotificationStreamQuery = z.infer<typeof notificationStreamQuery>;

@ApiSchema({ description: 'An accepted notification, as a stream shows it' })
export class WebhookStreamedNotificationDto {
  @Field({ format: 'uuid', example: '019aa2e0-7d5c-7c3e-9d0b-0c7e5a1f3b42' })
  id: string;
  @Field({ example: 'RECORD_FINISHED' })
  event_kind: string;
  @Field({ format: 'date-time', example: '2026-11-21T10:15:30.123Z' })
  triggered_at: string;
  @Field({
    description: 'What webhooks get, byte for byte',
    example:
      '{"data":{"id":"rec_1","analysis":[{"id":"ana_1"}]},"triggered_at":"2026-11-21T10:15:30.123Z","event_kind":"RECORD_FINISHED"}',
  })
  body: string;
}

/** A notification with the bytes that are sent. */
export interface StreamedNotification {
  id: string;
  eventKind: string;
  /** Epoch milliseconds. */
  triggeredAt: number;
  body: Buffer;
}

export const toStreamedNotificationDto = (
  notification: StreamedNotification,
): WebhookStreamedNotificationDto =>
  toAnswer(WebhookStreamedNotificationDto, {
    ...notification,
    triggeredAt: toDateTime(notification.triggeredAt),
    body: notification.body.toString(),
  });
