import { EntitySchema } from 'typeorm';
import type { Columns } from '../../columns.js';

/** A row of `webhook_event`: one event kind that a webhook is subscribed to. */
export class EventEntity {
  id: string;
  webhookId: string;
  /** The webhook's user, repeated here so one index finds subscriptions. */
  userId: string;
  kind: string;
  enabled: boolean;
  /** Which notifications of the kind the webhook gets: JSON; null for all. */
  filter: string | null;
  /** Names the filter's content; null if it matches everything. */
  filterHash: string | null;
  createdAt: number;
}

export const eventSchema = (column: Columns) =>
  new EntitySchema<EventEntity>({
    name: 'EventEntity',
    target: EventEntity,
    tableName: 'webhook_event',
    columns: {
      id: { ...column.ascii(36), primary: true },
      webhookId: {
        ...column.ascii(36),
        name: 'webhook_id',
        foreignKey: {
          name: 'webhook_event_of',
          target: 'WebhookEntity',
          onDelete: 'CASCADE',
          onUpdate: 'CASCADE',
        },
      },
      userId: { ...column.unicode(128), name: 'user_id' },
      kind: column.ascii(64),
      enabled: column.boolean(),
      filter: { ...column.text(), nullable: true },
      filterHash: { ...column.ascii(22), name: 'filter_hash', nullable: true },
      createdAt: { ...column.time(), name: 'created_at' },
    },
    indices: [
      { name: 'webhook_event_kind', columns: ['webhookId', 'kind'], unique: true },
      { name: 'webhook_event_subscription', columns: ['userId', 'kind'] },
    ],
  });
