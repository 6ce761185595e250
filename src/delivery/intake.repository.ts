import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../database/database.js';
import { type JsonRowType, jsonRows } from '../database/json-rows.js';
import { NotificationEntity } from '../trigger/notification.entity.js';
import { TriggerEntity } from '../trigger/trigger.entity.js';

/** A notification as it is accepted: `body` is what is signed and sent. */
export interface NewNotification {
  id: string;
  userId: string;
  eventKind: string;
  /** Epoch milliseconds. */
  triggeredAt: number;
  traceparent: string | null;
  body: Buffer;
}

/** A notification of an earlier call, and its triggers in the order of their making. */
export interface StoredNotification {
  notification: Pick<NewNotification, 'id' | 'eventKind' | 'triggeredAt'>;
  triggers: { id: string; webhookId: string }[];
}

export interface NewTrigger {
  id: string;
  notification: NewNotification;
  webhookId: string;
  eventId: string | null;
  /** The instance that will send it at once; null where it waits to be claimed. */
  leasedBy: string | null;
}

/** A webhook that is to hear of a kind of event. */
export interface Subscription {
  webhookId: string;
  eventId: string;
}

const SUBSCRIBER_COLUMNS: Record<string, JsonRowType> = { user_id: 'user', kind: 'word' };

const TRIGGER_COLUMNS: Record<string, JsonRowType> = {
  id: 'id',
  notification_id: 'id',
  webhook_id: 'id',
  event_id: 'id',
  event_kind: 'word',
  user_id: 'user',
  status: 'word',
  next_attempt_at: 'integer',
  leased_by: 'id',
  lease: 'integer',
};

/** Few sizes of statement, so that the prepared ones are found again. */
const INSERT_SIZES = [64, 16, 4, 1];
/** Of bodies in a statement, which travel as hexadecimal digits: MariaDB takes no packet over 16 MiB. */
const MAX_INSERT_BYTES = 4 * 1024 * 1024;
/** A few hundred bytes of JSON each. */
const MAX_INSERT_TRIGGERS = 5000;

@Injectable()
export class IntakeRepository {
  private readonly selectSubscriptions: string;
  private readonly insertTriggersSql: string;

  constructor(private readonly database: Database) {
    this.selectSubscriptions = `SELECT asked.user_id, asked.kind, event.id AS event_id, event.webhook_id
      FROM ${jsonRows(database.dialect, SUBSCRIBER_COLUMNS)} AS asked
      JOIN webhook_event AS event ON event.user_id = asked.user_id AND event.kind = asked.kind AND event.enabled = 1
      JOIN webhook ON webhook.id = event.webhook_id AND webhook.enabled = 1
      ORDER BY event.id`;
    const columns = Object.keys(TRIGGER_COLUMNS).join(', ');
    this.insertTriggersSql = `INSERT INTO webhook_trigger (${columns}, attempt_count, schedule_offset)
      SELECT ${columns}, 0, 0 FROM ${jsonRows(database.dialect, TRIGGER_COLUMNS)} AS fresh`;
  }

  /** The enabled subscriptions of each (user, kind), under {@link subscriptionKey}. */
  async subscriptions(
    manager: EntityManager,
    asked: { userId: string; eventKind: string }[],
  ): Promise<Map<string, Subscription[]>> {
    const pairs = new Map(asked.map((pair) => [subscriptionKey(pair), [pair.userId, pair.eventKind]]));
    const rows = await this.database.query<
      { user_id: string; kind: string; event_id: string; webhook_id: string }[]
    >(this.selectSubscriptions, [JSON.stringify([...pairs.values()])], manager);
    const found = new Map<string, Subscription[]>();
    for (const row of rows) {
      const key = subscriptionKey({ userId: row.user_id, eventKind: row.kind });
      const list = found.get(key) ?? [];
      list.push({ webhookId: row.webhook_id, eventId: row.event_id });
      found.set(key, list);
    }
    return found;
  }

  async insertNotifications(manager: EntityManager, notifications: NewNotification[]): Promise<void> {
    let rest = notifications;
    while (rest.length > 0) {
      const size = INSERT_SIZES.find((candidate) => fits(rest, candidate)) ?? 1;
      await this.database.query(
        `INSERT INTO webhook_notification (id, user_id, event_kind, triggered_at, traceparent, body)
         VALUES ${Array(size).fill('(?, ?, ?, ?, ?, ?)').join(', ')}`,
        rest
          .slice(0, size)
          .flatMap((n) => [n.id, n.userId, n.eventKind, n.triggeredAt, n.traceparent, n.body]),
        manager,
      );
      rest = rest.slice(size);
    }
  }

  /** What an earlier call stored. */
  async acceptance(notificationId: string): Promise<StoredNotification> {
    const { manager } = this.database;
    const [notification, triggers] = await Promise.all([
      manager.findOneOrFail(NotificationEntity, {
        select: { id: true, eventKind: true, triggeredAt: true },
        where: { id: notificationId },
      }),
      manager.find(TriggerEntity, {
        select: { id: true, webhookId: true },
        where: { notificationId },
        order: { id: 'ASC' },
      }),
    ]);
    return { notification, triggers };
  }

  /** Due at once. */
  async insertTriggers(manager: EntityManager, triggers: NewTrigger[]): Promise<void> {
    for (let at = 0; at < triggers.length; at += MAX_INSERT_TRIGGERS) {
      const rows = triggers.slice(at, at + MAX_INSERT_TRIGGERS).map(toRow);
      await this.database.query(this.insertTriggersSql, [JSON.stringify(rows)], manager);
    }
  }
}

export const subscriptionKey = (of: { userId: string; eventKind: string }) => `${of.eventKind} ${of.userId}`;

const fits = (notifications: NewNotification[], size: number) =>
  size <= notifications.length &&
  notifications.slice(0, size).reduce((bytes, { body }) => bytes + body.length, 0) <= MAX_INSERT_BYTES;

/** In the order of {@link TRIGGER_COLUMNS}. */
const toRow = ({ id, notification, webhookId, eventId, leasedBy }: NewTrigger) => [
  id,
  notification.id,
  webhookId,
  eventId,
  notification.eventKind,
  notification.userId,
  leasedBy === null ? 'PENDING' : 'DELIVERING',
  notification.triggeredAt,
  leasedBy,
  leasedBy === null ? 0 : 1,
];
