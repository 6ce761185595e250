import { Injectable } from '@nestjs/common';
import { Database } from '../store/database.js';
import { indexHint } from '../store/index-hint.js';
import { idList } from '../store/json-rows.js';
import type { Candidate, CandidateTrigger } from './batch.js';

interface CandidateRow {
  id: string;
  triggered_at: number | string | null;
  bytes: number | string | null;
}

interface TriggerRow {
  id: string;
  notification_id: string;
  status: string;
  attempt_count: number;
}

/** Reads what may be past its retention. Locks nothing, and never reads the bodies. */
@Injectable()
export class CandidateRepository {
  private readonly columns: string;
  private readonly byNotification: string;

  constructor(private readonly database: Database) {
    const isSqlite = database.dialect === 'sqlite';
    // SQLite knows the size without reading the body, and deletes its pages one by one; MySQL would read all of it.
    this.columns = `n.triggered_at, ${isSqlite ? 'LENGTH(n.body)' : '0'} AS bytes`;
    this.byNotification = `webhook_trigger ${indexHint(database.dialect, 'webhook_trigger_notification')}`;
  }

  /** The notifications with ids after one and before another. */
  async between(after: string, before: string, limit: number): Promise<Candidate[]> {
    const rows = await this.database.query<CandidateRow[]>(
      `SELECT n.id, ${this.columns} FROM webhook_notification AS n WHERE n.id > ? AND n.id < ? ORDER BY n.id LIMIT ?`,
      [after, before, limit],
    );
    return rows.map(toCandidate);
  }

  /** Those passed over before, with ids after one. */
  async passedOver(after: string, limit: number): Promise<Candidate[]> {
    const rows = await this.database.query<CandidateRow[]>(
      `SELECT o.id, ${this.columns} FROM webhook_overdue AS o LEFT JOIN webhook_notification AS n ON n.id = o.id
       WHERE o.id > ? ORDER BY o.id LIMIT ?`,
      [after, limit],
    );
    return rows.map(toCandidate);
  }

  /** The triggers of notifications, in the order of their notifications and ids. */
  async triggersOf(notificationIds: string[], limit: number, after = ''): Promise<CandidateTrigger[]> {
    const ids = idList(this.database.dialect, notificationIds);
    const rows = await this.database.query<TriggerRow[]>(
      `SELECT id, notification_id, status, attempt_count FROM ${this.byNotification}
       WHERE notification_id IN ${ids.sql} AND id > ? ORDER BY notification_id, id LIMIT ?`,
      [ids.parameter, after, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      notificationId: row.notification_id,
      isOpen: row.status === 'PENDING' || row.status === 'DELIVERING',
      attempts: row.attempt_count,
    }));
  }
}

const toCandidate = ({ id, triggered_at, bytes }: CandidateRow): Candidate => ({
  id,
  triggeredAt: triggered_at === null ? null : Number(triggered_at),
  bytes: Number(bytes ?? 0),
});
