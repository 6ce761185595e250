import { Column, Table } from '../../table.js';

/**
 * A row of `webhook_notice`: something that happened to a webhook or a trigger and that another webhook of the user is
 * subscribed to. It is written in the transaction in which it happened, and deleted in the one that stores its notification.
 */
@Table('webhook_notice')
export class NoticeEntity {
  /** UUIDv7. Becomes the notification's id. */
  @Column.ascii(36, { primary: true }) id: string;
  @Column.unicode(128) userId: string;
  /** An operational kind, such as `TRIGGER_FAILED`. */
  @Column.ascii(64) eventKind: string;
  /** The webhook that it is about, which does not get it. */
  @Column.ascii(36) aboutWebhookId: string;
  /** When it happened. Epoch milliseconds. */
  @Column.time() triggeredAt: number;
  /** How many services like this one the event behind it passed through, so that loops end. */
  @Column.integer() hops: number;
  /** JSON: the notification's `data`. */
  @Column.longText() data: string;
}
