import { Column, Table } from '../../table.js';

/** A row of `webhook_event`: one event kind that a webhook is subscribed to. */
@Table('webhook_event', {
  indices: [
    { name: 'webhook_event_kind', columns: ['webhookId', 'kind'], unique: true },
    { name: 'webhook_event_subscription', columns: ['userId', 'kind'] },
  ],
})
export class EventEntity {
  @Column.ascii(36, { primary: true }) id: string;
  @Column.ascii(36, {
    foreignKey: {
      name: 'webhook_event_of',
      target: 'WebhookEntity',
      onDelete: 'CASCADE',
      onUpdate: 'CASCADE',
    },
  })
  webhookId: string;
  /** The webhook's user, repeated here so one index finds subscriptions. */
  @Column.unicode(128) userId: string;
  @Column.ascii(64) kind: string;
  @Column.boolean() enabled: boolean;
  /** Which notifications of the kind the webhook gets: JSON; null for all. */
  @Column.text({ nullable: true }) filter: string | null;
  /** Names the filter's content; null if it matches everything. */
  @Column.ascii(22, { nullable: true }) filterHash: string | null;
  @Column.time() createdAt: number;
}
