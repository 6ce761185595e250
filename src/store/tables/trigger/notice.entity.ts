import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/**
 * A row of `webhook_notice`: something that happened to a webhook or a trigger and that another webhook of the user is
 * subscribed to. It is written in the transaction in which it happened, and deleted in the one that stores its notification.
 */
export class NoticeEntity {
  /** UUIDv7. Becomes the notification's id. */
  id: string;
  userId: string;
  /** An operational kind, such as `TRIGGER_FAILED`. */
  eventKind: string;
  /** The webhook that it is about, which does not get it. */
  aboutWebhookId: string;
  /** When it happened. Epoch milliseconds. */
  triggeredAt: number;
  /** How many services like this one the event behind it passed through, so that loops end. */
  hops: number;
  /** JSON: the notification's `data`. */
  data: string;
}

export const noticeSchema = (column: Columns) =>
  new EntitySchema<NoticeEntity>({
    name: 'NoticeEntity',
    target: NoticeEntity,
    tableName: 'webhook_notice',
    columns: {
      id: { ...column.ascii(36), primary: true },
      userId: { ...column.unicode(128), name: 'user_id' },
      eventKind: { ...column.ascii(64), name: 'event_kind' },
      aboutWebhookId: { ...column.ascii(36), name: 'about_webhook_id' },
      triggeredAt: { ...column.time(), name: 'triggered_at' },
      hops: column.integer(),
      data: column.longText(),
    },
  });
