import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { idList, updateFromRows } from '../database/json-rows.js';
import { firstIdOf } from './first-id.js';

/** Triggers of one webhook and these of its events; times are of their making, both included. Epoch milliseconds. */
export interface TriggerSpan {
  webhookId: string;
  eventIds: string[];
  since: number;
  until: number;
}

/** Triggers that ended without having been delivered: failed or cancelled. */
@Injectable()
export class UndeliveredRepository {
  private readonly makeDueSql: string;
  /**
   * Read by the index of the queue, where what was not delivered stands together: by that of a webhook's triggers, a span
   * would be read with all that was delivered in it, row by row.
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
      // Not "IN ('FAILED', 'CANCELLED')": SQLite would look for those first, and through all the rows for each of them.
      `t.id = j.id AND t.status NOT IN ('PENDING', 'DELIVERING', 'SUCCEEDED')`,
    );
    // What is changed always changes, so MySQL counts the same whether it counts changed rows or found ones.
    this.makeDueSql = database.dialect === 'sqlite' ? `${update} RETURNING 1` : update;
  }

  async count(span: TriggerSpan): Promise<number> {
    const [row] = await this.select<{ count: number | string }>('COUNT(*) AS count', span);
    return Number(row?.count ?? 0);
  }

  /** Their ids, oldest first. */
  async ids(span: TriggerSpan, limit: number): Promise<string[]> {
    const rows = await this.select<{ id: string }>('id', span, `ORDER BY id LIMIT ${limit}`);
    return rows.map(({ id }) => id);
  }

  /**
   * Gives each a fresh retry schedule that begins at its own time; leaves out what became due in the meantime.
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

  /** When the last trigger of a webhook that waits for the beginning of a fresh schedule is due; null where none does. */
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
