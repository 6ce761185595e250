import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database.js';
import { type JsonRowType, jsonRows } from '../../database/json-rows.js';
import { NotificationEntity } from '../../trigger/notification.entity.js';
import { TriggerEntity } from '../../trigger/trigger.entity.js';

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
}

/** A notification of an earlier call, and its triggers in the order in which they were made. */
export interface StoredNotification {
  notification: Pick<NewNotification, 'id' | 'eventKind' | 'triggeredAt'>;
  triggers: { id: string; webhookId: string }[];
}

export interface NewTrigger {
  id: string;
  notification: NewNotification;
  webhookId: string;
  subscriptionId: string | null;
  /** The instance that will send it at once; null if it waits to be claimed. */
  leasedBy: string | null;
  /** In queue time, epoch milliseconds. */
  dueAt: number;
}

/** An enabled `webhook_event`: a webhook that gets a kind of event. */
export interface Subscription {
  webhookId: string;
  subscriptionId: string;
}

const SUBSCRIBER_COLUMNS: Record<string, JsonRowType> = { user_id: 'user', kind: 'word' };

const NOTIFICATION_COLUMNS = ['id', 'user_id', 'event_kind', 'triggered_at', 'traceparent', 'hops', 'body'];

const TRIGGER_COLUMNS = [
  'id',
  'notification_id',
  'webhook_id',
  'event_id',
  'event_kind',
  'user_id',
  'status',
  'next_attempt_at',
  'leased_by',
  'lease',
  'attempt_count',
  'schedule_offset',
];

@Injectable()
export class IntakeRepository {
  private readonly selectSubscriptions: string;

  constructor(private readonly database: Database) {
    this.selectSubscriptions = `SELECT asked.user_id, asked.kind, event.id AS event_id, event.webhook_id
      FROM ${jsonRows(database.dialect, SUBSCRIBER_COLUMNS)} AS asked
      JOIN webhook_event AS event ON event.user_id = asked.user_id AND event.kind = asked.kind AND event.enabled = 1
      JOIN webhook ON webhook.id = event.webhook_id AND webhook.enabled = 1
      ORDER BY event.id`;
  }

  /** The enabled subscriptions of each (user, kind), under {@link subscriptionKey}. */
  async subscriptions(
    asked: { userId: string; eventKind: string }[],
    manager: EntityManager | null,
  ): Promise<Map<string, Subscription[]>> {
    const pairs = new Map(asked.map((pair) => [subscriptionKey(pair), [pair.userId, pair.eventKind]]));
    const rows = await this.database.query<
      { user_id: string; kind: string; event_id: string; webhook_id: string }[]
    >(this.selectSubscriptions, [JSON.stringify([...pairs.values()])], manager ?? undefined);
    const found = new Map<string, Subscription[]>();
    for (const row of rows) {
      const key = subscriptionKey({ userId: row.user_id, eventKind: row.kind });
      const list = found.get(key) ?? [];
      list.push({ webhookId: row.webhook_id, subscriptionId: row.event_id });
      found.set(key, list);
    }
    return found;
  }

  /** Inserts notifications and their triggers in the caller's transaction or, if `manager` is null, in a new one. */
  async insert(
    manager: EntityManager | null,
    notifications: NewNotification[],
    triggers: NewTrigger[],
  ): Promise<void> {
    const urgent = triggers.filter((trigger) => isTest(trigger) && trigger.leasedBy === null);
    const inserts = [
      {
        table: 'webhook_notification',
        columns: NOTIFICATION_COLUMNS,
        rows: notifications.map(toNotificationRow),
      },
      { table: 'webhook_trigger', columns: TRIGGER_COLUMNS, rows: triggers.map(toTriggerRow) },
    ];
    if (urgent.length > 0)
      inserts.push({ table: 'webhook_urgent_trigger', columns: ['id'], rows: urgent.map(({ id }) => [id]) });
    if (manager) for (const insert of inserts) await this.database.insertMany(manager, insert);
    else await this.database.insertTogether(['accept-begun', ...inserts, 'accept-written']);
  }

  /** What an earlier call stored. */
  async acceptance(notificationId: string): Promise<StoredNotification> {
    const [notification, triggers] = await this.database.run((manager) =>
      Promise.all([
        manager.findOneOrFail(NotificationEntity, {
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
    return { notification, triggers: triggers.map(({ id, webhookId }) => ({ id, webhookId })) };
  }
}

export const isTest = ({ subscriptionId }: NewTrigger) => subscriptionId === null;

export const subscriptionKey = (of: { userId: string; eventKind: string }) => `${of.eventKind} ${of.userId}`;

/** In the order of {@link NOTIFICATION_COLUMNS}. */
const toNotificationRow = (n: NewNotification) => [
  n.id,
  n.userId,
  n.eventKind,
  n.triggeredAt,
  n.traceparent,
  n.hops,
  n.body,
];

/** In the order of {@link TRIGGER_COLUMNS}. */
const toTriggerRow = ({ id, notification, webhookId, subscriptionId, leasedBy, dueAt }: NewTrigger) => [
  id,
  notification.id,
  webhookId,
  subscriptionId,
  notification.eventKind,
  notification.userId,
  leasedBy === null ? 'PENDING' : 'DELIVERING',
  dueAt,
  leasedBy ?? '',
  leasedBy === null ? 0 : 1,
  0,
  0,
];
