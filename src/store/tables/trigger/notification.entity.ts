import { Column, Table } from '../../table.js';

/** A row of `webhook_notification`: the message that all triggers of one lifecycle event send. */
@Table('webhook_notification', {
  indices: [
    // The kind comes last, so that finding a kind reads only the index and no bodies.
    { name: 'webhook_notification_user', columns: ['userId', 'id', 'eventKind'] },
    { name: 'webhook_notification_record', columns: ['userId', 'recordId', 'id', 'eventKind'] },
  ],
})
export class NotificationEntity {
  /** Sent as `webhook-id`. */
  @Column.ascii(36, { primary: true }) id: string;
  @Column.unicode(128) userId: string;
  @Column.ascii(64) eventKind: string;
  @Column.time() triggeredAt: number;
  /** W3C Trace Context of the caller, forwarded with every attempt. */
  @Column.ascii(128, { nullable: true }) traceparent: string | null;
  /** How many services like this one the reporting call passed through. */
  @Column.integer({ default: 0 }) hops: number;
  /** The exact bytes that every attempt signs and sends; empty once they were erased or are past retention. */
  @Column.bytes() body: Buffer;
  /** The `id` of the record; null if the record, of a kind of the application's own, has none. */
  @Column.exact(256, { nullable: true }) recordId: string | null;
  /** The webhook that an operational notification is about, which does not get it; null for all others. */
  @Column.ascii(36, { nullable: true }) aboutWebhookId: string | null;
  /** Sent to one webhook, whatever the subscriptions say. */
  @Column.boolean({ default: false }) isTest: boolean;
  /** Which webhooks did not get it, and why: the id of a decision set. Null if all of the user's webhooks got it. */
  @Column.ascii(22, { nullable: true }) decisionSet: string | null;
  /** When its body, and what was sent and answered, was removed; null while it is there. Epoch milliseconds. */
  @Column.timeToCome() payloadGoneAt: number | null;
  /** When it was removed because somebody erased the record. Epoch milliseconds. */
  @Column.timeToCome() erasedAt: number | null;
}
