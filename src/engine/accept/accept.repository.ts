import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import type { Insert } from '../../store/insert.js';
import { NotificationEntity } from '../../store/tables/trigger/notification.entity.js';
import { TriggerEntity } from '../../store/tables/trigger/trigger.entity.js';
import { birthsOf, type Newborn } from '../ledger/birth.js';
import { type GroupPosition, membersOf } from '../ordering/ordering-key.js';

/** A notification as it is accepted; `body` holds the bytes that are signed and sent. */
export interface NewNotification {
  id: string;
  userId: string;
  eventKind: string;
  /** Epoch milliseconds. */
  triggeredAt: number;
  traceparent: string | null;
  hops: number;
  body: Buffer;
  /** The `id` of its record; null if a record of the application's own kind has none. */
  recordId: string | null;
  /** The webhook that it is about and that does not get it; null unless its kind is operational. */
  aboutWebhookId: string | null;
  /** Whether it is sent to one webhook only, subscribed or not. */
  isTest: boolean;
  /** The decision set of those that do not get it; null if there are none. Known once it was fanned out. */
  decisionSet?: string | null;
}

/** A notification of an earlier call, and its triggers in the order in which they were made. */
export interface StoredNotification {
  notification: Pick<NewNotification, 'id' | 'eventKind' | 'triggeredAt'>;
  triggers: { id: string; webhookId: string }[];
}

export interface NewTrigger extends Newborn {
  notification: NewNotification;
  position: GroupPosition | null;
}

const NOTIFICATION_COLUMNS = [
  'id',
  'user_id',
  'event_kind',
  'triggered_at',
  'traceparent',
  'hops',
  'body',
  'record_id',
  'about_webhook_id',
  'is_test',
  'decision_set',
];

@Injectable()
export class AcceptRepository {
  constructor(private readonly database: Database) {}

  /**
   * Inserts notifications and their triggers in the caller's transaction or, if `manager` is null, in a new one.
   *
   * @param more the decision sets that have to be stored with them, and what is noted for those who watch.
   */
  async insert(
    manager: EntityManager | null,
    notifications: NewNotification[],
    triggers: NewTrigger[],
    more: Insert[] = [],
  ): Promise<void> {
    const inserts: Insert[] = [
      {
        table: 'webhook_notification',
        columns: NOTIFICATION_COLUMNS,
        rows: notifications.map(toNotificationRow),
      },
      ...birthsOf(triggers),
    ];
    const ordered = triggers.flatMap(({ id, position }) =>
      position ? [{ triggerId: id, ...position }] : [],
    );
    if (ordered.length > 0) inserts.push(membersOf(ordered));
    // Last: other transactions wait for a set that is not committed.
    inserts.push(...more);
    if (manager) for (const insert of inserts) await this.database.insertMany(manager, insert);
    else await this.database.writeTogether(['accept-begun', ...inserts, 'accept-written']);
  }

  /** What an earlier call stored; null if that is past its retention. */
  async acceptance(notificationId: string): Promise<StoredNotification | null> {
    const [notification, triggers] = await this.database.run((manager) =>
      Promise.all([
        manager.findOne(NotificationEntity, {
          select: { id: true, eventKind: true, triggeredAt: true },
          where: { id: notificationId },
        }),
        manager.find(TriggerEntity, {
          select: { id: true, webhookId: true },
          where: { notificationId },
          order: { id: 'ASC' },
        }),
      ]),
    );
    return (
      notification && { notification, triggers: triggers.map(({ id, webhookId }) => ({ id, webhookId })) }
    );
  }
}

export const isTest = ({ eventId }: NewTrigger) => eventId === null;

/** In the order of {@link NOTIFICATION_COLUMNS}. */
const toNotificationRow = (n: NewNotification) => [
  n.id,
  n.userId,
  n.eventKind,
  n.triggeredAt,
  n.traceparent,
  n.hops,
  n.body,
  n.recordId,
  n.aboutWebhookId,
  n.isTest ? 1 : 0,
  n.decisionSet ?? null,
];
