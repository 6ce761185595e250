import { Injectable } from '@nestjs/common';
import { type FindOptionsSelect, In } from 'typeorm';
import type { SkippedWebhooks } from '../engine/accept/decision-set.js';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { columnJson, isObject, isText, isTexts } from '../platform/json/column-json.js';
import { Database } from '../store/database.js';
import { DecisionSetEntity } from '../store/tables/trigger/decision-set.entity.js';
import { NotificationEntity } from '../store/tables/trigger/notification.entity.js';
import { TriggerEntity, type TriggerStatus } from '../store/tables/trigger/trigger.entity.js';
import type { TriggerOf } from './decisions.js';
import { countName, type NotificationRow, noTriggers, type TriggerCounts } from './notification.js';

const WITHOUT_BODY: FindOptionsSelect<NotificationEntity> = {
  id: true,
  userId: true,
  eventKind: true,
  triggeredAt: true,
  recordId: true,
  erasedAt: true,
};
/** A page ends once it has counted so many triggers. It always has at least one notification. */
const MAX_COUNTED = 5000;
/** Notifications whose triggers are counted first; how many those are says how many may be counted with the next statement. */
const FIRST_COUNTED = 4;

/** A notification without its body. */
export interface SizedNotification {
  id: string;
  userId: string;
  eventKind: string;
  /** Epoch milliseconds. */
  triggeredAt: number;
  /** The size of its body. */
  bytes: number;
}

@Injectable()
export class NotificationRepository {
  private readonly countSql: string;

  constructor(private readonly database: Database) {
    const index = 'webhook_trigger_notification';
    this.countSql = `SELECT notification_id, status, COUNT(*) AS count
      FROM webhook_trigger ${database.sql.byIndex(index)}`;
  }

  async find(owner: Owner, id: string): Promise<NotificationEntity | null> {
    const owned = checkedOwner(owner) === null ? {} : { userId: owner as string };
    return this.database.run((manager) => manager.findOneBy(NotificationEntity, { id, ...owned }));
  }

  /** Newest first, without their bodies. */
  async rows(ids: string[]): Promise<NotificationRow[]> {
    if (ids.length === 0) return [];
    return this.database.run((manager) =>
      manager.find(NotificationEntity, {
        select: WITHOUT_BODY,
        where: { id: In(ids) },
        order: { id: 'DESC' },
      }),
    );
  }

  /** The notifications with these ids that are there, in no order, with the sizes of their bodies. */
  async sizes(ids: string[]): Promise<SizedNotification[]> {
    if (ids.length === 0) return [];
    const list = this.database.sql.idList(ids);
    const rows = await this.database.query<
      Record<'id' | 'user_id' | 'event_kind' | 'at' | 'bytes', string>[]
    >(
      `SELECT id, user_id, event_kind, triggered_at AS at, LENGTH(body) AS bytes FROM webhook_notification WHERE id IN ${list.sql}`,
      [list.parameter],
    );
    return rows.map((row) => ({
      id: row.id,
      userId: row.user_id,
      eventKind: row.event_kind,
      triggeredAt: Number(row.at),
      bytes: Number(row.bytes),
    }));
  }

  /** Counts the triggers of each notification, of the first ones only if there are very many. */
  async counts(ids: string[]): Promise<Map<string, TriggerCounts>> {
    const counts = new Map<string, TriggerCounts>();
    let read = 0;
    for (let size = FIRST_COUNTED; counts.size < ids.length && read < MAX_COUNTED; ) {
      const some = ids.slice(counts.size, counts.size + size);
      read += await this.countInto(counts, some);
      size = Math.max(1, Math.floor(((MAX_COUNTED - read) * counts.size) / Math.max(read, 1)));
    }
    return counts;
  }

  /** In the order in which they were made. */
  async triggers(notificationId: string): Promise<(TriggerOf & { status: TriggerStatus })[]> {
    return this.database.run((manager) =>
      manager.find(TriggerEntity, {
        select: { id: true, webhookId: true, status: true },
        where: { notificationId },
        order: { id: 'ASC' },
      }),
    );
  }

  /** Which webhooks did not get a notification. */
  async skipped({ decisionSet }: NotificationRow): Promise<SkippedWebhooks> {
    if (decisionSet === null) return {};
    const set = await this.database.run((manager) =>
      manager.findOneBy(DecisionSetEntity, { id: decisionSet }),
    );
    if (!set) return {};
    const cell = { column: 'webhook_decision_set.decisions', row: set.id };
    return columnJson<SkippedWebhooks>(set.decisions, cell, isSkipped) ?? {};
  }

  /** The names of those of these webhooks that the user still has. */
  async names(userId: string, webhookIds: string[]): Promise<Map<string, string>> {
    if (webhookIds.length === 0) return new Map();
    const ids = this.database.sql.idList(webhookIds);
    const rows = await this.database.query<{ id: string; name: string }[]>(
      `SELECT id, name FROM webhook WHERE id IN ${ids.sql} AND user_id = ?`,
      [ids.parameter, userId],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  private async countInto(counts: Map<string, TriggerCounts>, ids: string[]): Promise<number> {
    const list = this.database.sql.idList(ids);
    const rows = await this.database.query<
      { notification_id: string; status: TriggerStatus; count: number | string }[]
    >(`${this.countSql} WHERE notification_id IN ${list.sql} GROUP BY notification_id, status`, [
      list.parameter,
    ]);
    for (const id of ids) counts.set(id, noTriggers());
    let sum = 0;
    for (const { notification_id, status, count } of rows) {
      const of = counts.get(notification_id);
      if (of) of[countName(status)] = Number(count);
      sum += Number(count);
    }
    return sum;
  }
}

const isSkipped = (value: unknown) =>
  isObject(value) &&
  Object.entries(value).every(([name, of]) =>
    name === 'parts' ? isTexts(of) : Array.isArray(of) && of.every(isText),
  );
