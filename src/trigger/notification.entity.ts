import { EntitySchema } from 'typeorm';
import type { Columns } from '../database/columns.js';

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
  /** The exact bytes that every attempt signs and sends. */
  body: Buffer;
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
    },
  });
