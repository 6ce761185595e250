import { Injectable } from '@nestjs/common';
import { Database } from '../../../store/database.js';
import type { Found, RecoveryScope, ReplayScan, ScanCount, ScanPage } from './recovery-scope.js';

const STATUSES = ['FAILED', 'CANCELLED'] as const;

interface Row {
  id: string;
  notification_id: string;
  event_id: string;
}

/**
 * Scans the triggers of a webhook that ended undelivered. Reads the queue's index, in which those of all webhooks stand
 * together by id. The index of a webhook's triggers would also read every delivered one of the span.
 */
@Injectable()
export class UndeliveredScan implements ReplayScan {
  readonly maxWindow = 10_000;
  private readonly table: string;
  /** The triggers whose body is there; bodies are looked up by key for the webhook's own triggers alone. */
  private readonly from: string;

  constructor(private readonly database: Database) {
    this.table = `webhook_trigger AS t ${database.sql.byIndex('webhook_trigger_due')}`;
    // Both joins fix the order: the optimiser might begin with the notifications.
    this.from = `${this.table} ${database.sql.thenJoin} webhook_notification AS n
      ON n.id = t.notification_id AND n.payload_gone_at = 0 AND t.cancelled_for IS NULL`;
  }

  async next(scope: RecoveryScope, after: string, limit: number, window: number): Promise<ScanPage> {
    const through = await this.through(scope, after, window);
    const end = through ?? scope.endId;
    const each = await Promise.all(STATUSES.map((status) => this.find(scope, status, after, end, limit)));
    const rows = each
      .flat()
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit);
    const events = new Map(scope.events.map((event) => [event.id, event]));
    const found = rows.flatMap((row): Found[] => {
      const event = events.get(row.event_id);
      const { id, notification_id: notificationId } = row;
      return event ? [{ place: id, triggerId: id, isNew: false, notificationId, event }] : [];
    });
    return { found, through: rows.length === limit ? (rows.at(-1)?.id ?? null) : through };
  }

  async count(scope: RecoveryScope, after: string, window: number): Promise<ScanCount> {
    if (scope.events.length === 0) return { count: 0, through: null };
    const through = await this.through(scope, after, window);
    const events = this.database.sql.idList(scope.events.map(({ id }) => id));
    const [row] = await this.database.query<{ count: number | string }[]>(
      `SELECT COUNT(*) AS count FROM ${this.from}
       WHERE t.status IN ('FAILED', 'CANCELLED') AND t.next_attempt_at = 0 AND t.id > ? AND t.id <= ?
         AND t.webhook_id = ? AND t.event_id IN ${events.sql}`,
      [after, through ?? scope.endId, scope.webhookId, events.parameter],
    );
    return { count: Number(row?.count ?? 0), through };
  }

  /** The last id of a window of both states; null if it reaches the end. */
  private async through(scope: RecoveryScope, after: string, window: number): Promise<string | null> {
    const ends = await Promise.all(
      STATUSES.map((status) =>
        this.database.query<{ id: string }[]>(
          `SELECT id FROM ${this.table} WHERE status = ? AND next_attempt_at = 0 AND id > ? AND id < ?
           ORDER BY id LIMIT 1 OFFSET ${window}`,
          [status, after, scope.endId],
        ),
      ),
    );
    const ids = ends.flatMap(([row]) => row?.id ?? []);
    return ids.length === 0 ? null : ids.reduce((first, id) => (id < first ? id : first));
  }

  private find(
    { webhookId, events }: RecoveryScope,
    status: string,
    after: string,
    end: string,
    limit: number,
  ): Promise<Row[]> {
    if (events.length === 0) return Promise.resolve([]);
    const wanted = this.database.sql.idList(events.map(({ id }) => id));
    return this.database.query<Row[]>(
      `SELECT t.id, t.notification_id, t.event_id FROM ${this.from}
       WHERE t.status = ? AND t.next_attempt_at = 0 AND t.id > ? AND t.id <= ? AND t.webhook_id = ?
         AND t.event_id IN ${wanted.sql}
       ORDER BY t.id LIMIT ${limit}`,
      [status, after, end, webhookId, wanted.parameter],
    );
  }
}
