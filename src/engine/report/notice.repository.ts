import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import type { JsonRowType } from '../../store/sql.js';
import type { ScriptStep } from '../../store/sqlite/sqlite-session.js';
import { NoticeEntity } from '../../store/tables/trigger/notice.entity.js';
import { NotificationEntity } from '../../store/tables/trigger/notification.entity.js';
import type { OperationalKind } from '../webhook/operational-kind.js';

/** Something to tell the user's other webhooks. */
export interface NewNotice extends NoticeEntity {
  eventKind: OperationalKind;
}

/** A notice of a result, and what the row of its trigger holds once the result is stored. */
export interface SettledNotice {
  notice: NewNotice;
  triggerId: string;
  lease: number;
  number: number;
}

const COLUMNS: Record<string, JsonRowType> = {
  id: 'id',
  user_id: 'user',
  event_kind: 'word',
  about_webhook_id: 'id',
  triggered_at: 'integer',
  hops: 'integer',
  data: 'text',
};
const NAMES = Object.keys(COLUMNS);

/** In the order of {@link COLUMNS}. */
const toRow = (notice: NewNotice) => [
  notice.id,
  notice.userId,
  notice.eventKind,
  notice.aboutWebhookId,
  notice.triggeredAt,
  notice.hops,
  notice.data,
];

const TRIGGER: Record<string, JsonRowType> = { trigger_id: 'id', lease: 'integer', number: 'integer' };

/** The result counts: the row of its trigger is as the result left it. */
const COUNTS = `EXISTS (SELECT 1 FROM webhook_trigger AS t
  WHERE t.id = j.trigger_id AND t.lease = j.lease AND t.attempt_count = j.number)`;

/** Another webhook wants to hear of it. A scalar, because MySQL might join an EXISTS from the wrong end. */
const WANTED = `(SELECT 1 FROM webhook_event AS event JOIN webhook ON webhook.id = event.webhook_id AND webhook.enabled = 1
  WHERE event.user_id = j.user_id AND event.kind = j.event_kind AND event.enabled = 1
    AND event.webhook_id <> j.about_webhook_id LIMIT 1) = 1`;

/** Notices of what happened, from the transaction in which it happened to the one that stores their notification. */
@Injectable()
export class NoticeRepository {
  private readonly insertSql: string;
  private readonly insertSettledSql: string;
  private readonly locked: string;

  constructor(private readonly database: Database) {
    const { sql } = database;
    // As a script, a result whose commit got no answer is stored again.
    const insert = `${database.runsScripts ? sql.insertIgnore : 'INSERT INTO'} webhook_notice (${NAMES.join(', ')})
      SELECT ${NAMES.map((name) => `j.${name}`).join(', ')} FROM`;
    this.insertSql = `${insert} ${sql.jsonRows(COLUMNS)} AS j WHERE ${WANTED}`;
    this.insertSettledSql = `${insert} ${sql.jsonRows({ ...COLUMNS, ...TRIGGER })} AS j WHERE ${WANTED} AND ${COUNTS}`;
    this.locked = sql.forUpdateOfFree;
  }

  /** Keeps, in the transaction in which it happened, the notices that another webhook of the user is subscribed to. */
  async insert(manager: EntityManager, notices: NewNotice[]): Promise<void> {
    if (notices.length === 0) return;
    await this.database.query(this.insertSql, [writeJson(notices.map(toRow))], manager);
  }

  /** The step of a script that does the same for results, where they count. No step if there is nothing to keep. */
  ofSettled(notices: SettledNotice[]): ScriptStep[] {
    if (notices.length === 0) return [];
    const rows = notices.map(({ notice, triggerId, lease, number }) => [
      ...toRow(notice),
      triggerId,
      lease,
      number,
    ]);
    return [{ sql: this.insertSettledSql, parameters: [writeJson(rows)] }];
  }

  /** Whether there may be notices to take. */
  async isAny(): Promise<boolean> {
    const rows = await this.database.query<unknown[]>('SELECT id FROM webhook_notice LIMIT 1');
    return rows.length > 0;
  }

  /**
   * Deletes the oldest notices in the caller's transaction, except those that another process is taking.
   *
   * @returns them, with those that have their notification already left out of `fresh`.
   */
  async take(manager: EntityManager, limit: number): Promise<{ taken: number; fresh: NoticeEntity[] }> {
    const ids = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_notice ORDER BY id LIMIT ${limit} ${this.locked}`,
      [],
      manager,
    );
    if (ids.length === 0) return { taken: 0, fresh: [] };
    const those = In(ids.map(({ id }) => id));
    const notices = await manager.find(NoticeEntity, { where: { id: those }, order: { id: 'ASC' } });
    const stored = await manager.find(NotificationEntity, { select: { id: true }, where: { id: those } });
    await manager.delete(NoticeEntity, { id: those });
    const known = new Set(stored.map(({ id }) => id));
    return { taken: ids.length, fresh: notices.filter(({ id }) => !known.has(id)) };
  }
}
