import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_notification`: the message that all triggers of one lifecycle event send. */
export class NotificationEntity {
  /** Sent as `webhook-id`. */
  id: string;
  userId: string;
  eventKind: string;
  triggeredAt: number;
  /** W3C Trace Context of the caller, forwarded with every attempt. */
  traceparent: string | null;
  /** How many services like this one the reporting call passed through. */
  hops: number;
  /** The exact bytes that every attempt signs and sends; empty once they were erased or are past retention. */
  body: Buffer;
  /** The `id` of the record; null if the record, of a kind of the application's own, has none. */
  recordId: string | null;
  /** The webhook that an operational notification is about, which does not get it; null for all others. */
  aboutWebhookId: string | null;
  /** Sent to one webhook, whatever the subscriptions say. */
  isTest: boolean;
  /** Which webhooks did not get it, and why: the id of a decision set. Null if all of the user's webhooks got it. */
  decisionSet: string | null;
  /** When its body, and what was sent and answered, was removed; null while it is there. Epoch milliseconds. */
  payloadGoneAt: number | null;
  /** When it was removed because somebody erased the record. Epoch milliseconds. */
  erasedAt: number | null;
}

export const notificationSchema = (column: Columns) =>
  new EntitySchema<NotificationEntity>({
    name: 'NotificationEntity',
    target: NotificationEntity,
    tableName: 'webhook_notification',
    columns: {
      id: { ...column.ascii(36), primary: true },
      userId: { ...column.unicode(128), name: 'user_id' },
      eventKind: { ...column.ascii(64), name: 'event_kind' },
      triggeredAt: { ...column.time(), name: 'triggered_at' },
      traceparent: { ...column.ascii(128), nullable: true },
      hops: { ...column.integer(), default: 0 },
      body: column.bytes(),
      recordId: { ...column.exact(256), name: 'record_id', nullable: true },
      aboutWebhookId: { ...column.ascii(36), name: 'about_webhook_id', nullable: true },
      isTest: { ...column.boolean(), name: 'is_test', default: false },
      decisionSet: { ...column.ascii(22), name: 'decision_set', nullable: true },
      payloadGoneAt: { ...column.timeToCome(), name: 'payload_gone_at' },
      erasedAt: { ...column.timeToCome(), name: 'erased_at' },
    },
    indices: [
      // The kind comes last, so that finding a kind reads only the index and no bodies.
      { name: 'webhook_notification_user', columns: ['userId', 'id', 'eventKind'] },
      { name: 'webhook_notification_record', columns: ['userId', 'recordId', 'id', 'eventKind'] },
    ],
  });
