import { Injectable } from '@nestjs/common';
import { Database } from '../store/database.js';
import { type Candidate, type CandidateTrigger, ROOM } from './batch.js';

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
    // SQLite deletes the pages of a body one by one.
    this.columns = `n.triggered_at, ${database.sql.sizeIfKnown('n.body')} AS bytes`;
    this.byNotification = `webhook_trigger ${database.sql.byIndex('webhook_trigger_notification')}`;
  }

  /** The notifications with ids after one and before another. */
  async between(after: string, before: string, limit: number): Promise<Candidate[]> {
    const rows = await this.database.query<CandidateRow[]>(
      `SELECT n.id, ${this.columns} FROM webhook_notification AS n WHERE n.id > ? AND n.id < ? ORDER BY n.id LIMIT ?`,
      [after, before, limit],
    );
    return rows.map(toCandidate);
  }

  /** The candidates that were passed over before, with ids after one. */
  async passedOver(after: string, limit: number): Promise<Candidate[]> {
    const rows = await this.database.query<CandidateRow[]>(
      `SELECT o.id, ${this.columns} FROM webhook_overdue AS o LEFT JOIN webhook_notification AS n ON n.id = o.id
       WHERE o.id > ? ORDER BY o.id LIMIT ?`,
      [after, limit],
    );
    return rows.map(toCandidate);
  }

  /** The triggers of notifications with ids after one, in the order of their notifications and ids; of more, only the first. */
  async triggersOf(notifications: { id: string }[], after: string): Promise<CandidateTrigger[]> {
    const ids = this.database.sql.idList(notifications.map(({ id }) => id));
    const rows = await this.database.query<TriggerRow[]>(
      `SELECT id, notification_id, status, attempt_count FROM ${this.byNotification}
       WHERE notification_id IN ${ids.sql} AND id > ? ORDER BY notification_id, id LIMIT ${ROOM + 1}`,
      [ids.parameter, after],
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
