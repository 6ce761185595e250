import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { idList, updateFromRows } from '../database/json-rows.js';
import { firstIdOf } from './first-id.js';

/** Triggers of one webhook and some of its events, by creation time, both ends included. Epoch milliseconds. */
export interface TriggerSpan {
  webhookId: string;
  eventIds: string[];
  since: number;
  until: number;
}

/** Triggers that ended undelivered: failed or cancelled. */
@Injectable()
export class UndeliveredRepository {
  private readonly makeDueSql: string;
  /**
   * Reads the queue's index, in which undelivered triggers stand together. The index of a webhook's triggers would also read
   * every delivered one of the span.
   */
  private readonly table: string;

  constructor(private readonly database: Database) {
    const index = 'webhook_trigger_due';
    this.table = `webhook_trigger ${database.dialect === 'sqlite' ? `INDEXED BY ${index}` : `FORCE INDEX (${index})`}`;
    const update = updateFromRows(
      database.dialect,
      'webhook_trigger',
      { id: 'id', next_attempt_at: 'integer' },
      {
        status: `'PENDING'`,
        next_attempt_at: 'j.next_attempt_at',
        end_at: '0',
        schedule_offset: 't.attempt_count',
        lease: 't.lease + 1',
      },
      // Not "IN ('FAILED', 'CANCELLED')": SQLite would find those first, and scan all the rows for each of them.
      `t.id = j.id AND t.status NOT IN ('PENDING', 'DELIVERING', 'SUCCEEDED')`,
    );
    // Every row found is changed, so it does not matter whether MySQL counts found or changed rows.
    this.makeDueSql = database.dialect === 'sqlite' ? `${update} RETURNING 1` : update;
  }

  async count(span: TriggerSpan): Promise<number> {
    const [row] = await this.select<{ count: number | string }>('COUNT(*) AS count', span);
    return Number(row?.count ?? 0);
  }

  /** The ids, oldest first. */
  async ids(span: TriggerSpan, limit: number): Promise<string[]> {
    const rows = await this.select<{ id: string }>('id', span, `ORDER BY id LIMIT ${limit}`);
    return rows.map(({ id }) => id);
  }

  /**
   * Gives each trigger a fresh retry schedule that begins at its own time. Leaves out those that became due meanwhile.
   *
   * @returns how many it made due.
   */
  async makeDue(places: { id: string; dueAt: number }[]): Promise<number> {
    const rows = JSON.stringify(places.map(({ id, dueAt }) => [id, dueAt]));
    const answer = await this.database.transaction((manager) =>
      this.database.query<unknown[] | { affectedRows: number }>(this.makeDueSql, [rows], manager),
    );
    return Array.isArray(answer) ? answer.length : answer.affectedRows;
  }

  /** When the last of a webhook's triggers that wait to begin a fresh schedule is due; null if there is none. */
  async lastDueAt(webhookId: string, now: number): Promise<number | null> {
    const [row] = await this.database.query<{ at: number | string | null }[]>(
      `SELECT MAX(next_attempt_at) AS at FROM ${this.table}
       WHERE webhook_id = ? AND status = 'PENDING' AND next_attempt_at > ? AND schedule_offset = attempt_count`,
      [webhookId, now],
    );
    return row?.at == null ? null : Number(row.at);
  }

  private async select<T>(what: string, span: TriggerSpan, tail = ''): Promise<T[]> {
    if (span.eventIds.length === 0) return [];
    const events = idList(this.database.dialect, span.eventIds);
    return this.database.query<T[]>(
      `SELECT ${what} FROM ${this.table}
       WHERE status IN ('FAILED', 'CANCELLED') AND next_attempt_at = 0 AND id >= ? AND id < ?
         AND webhook_id = ? AND event_id IN ${events.sql} ${tail}`,
      [firstIdOf(span.since), firstIdOf(span.until + 1), span.webhookId, events.parameter],
    );
  }
}
