import { Inject, Injectable } from '@nestjs/common';
import { NEVER_DUE } from '../../engine/ledger/never-due.js';
import {
  keyParameters,
  pendingBehind,
  QUEUE_START,
  type QueueKey,
  upTo,
} from '../../engine/ledger/queue-order.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { timeOfId } from '../../platform/ids/first-id.js';
import { Database } from '../../store/database.js';
import type { Statement } from '../../store/insert.js';
import { NOTHING_WAITS, together, type Waiting } from './waiting.js';

/** After this, what was found is answered: that of more than a million triggers. */
const MAX_MS = 1000;

interface CountedRow {
  webhook_id: string;
  waiting: number | string;
  oldest: string;
  next_at: number | string | null;
}

/**
 * Counts the triggers that are not delivered yet. There is no index of them by webhook, which every attempt would have to
 * write: the queue's own is read, in parts.
 */
@Injectable()
export class WaitingRepository {
  /** Triggers read by one statement: the few of one webhook may stand among a million of others. */
  protected readonly atOnce: number = 100_000;
  private readonly table: string;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.table = `webhook_trigger ${database.sql.byIndex('webhook_trigger_due')}`;
  }

  /** In one statement, and so exactly, unless very much waits. @returns what waits for each of these webhooks; those without anything are left out. */
  async of(webhookIds: string[]): Promise<Map<string, Waiting>> {
    const { sql } = this.database;
    const found = new Map<string, Waiting>();
    const end = this.clock.monotonic() + MAX_MS;
    // With the first part of the queue, as what comes from one to the other in between would be counted twice.
    let also: Statement[] = [{ sql: `status = 'DELIVERING'`, parameters: [] }];
    for (
      let behind: QueueKey | null = QUEUE_START;
      behind !== null && this.clock.monotonic() < end;
      also = []
    ) {
      const last = await this.endOf(behind);
      const part = {
        sql: `${pendingBehind(sql)} ${last ? `AND ${upTo(sql)}` : ''}`,
        parameters: [...keyParameters(sql, behind), ...(last ? keyParameters(sql, last) : [])],
      };
      for (const row of await this.counted(webhookIds, [part, ...also])) {
        const { webhook_id: id, waiting, oldest, next_at } = row;
        const nextAt = next_at === null ? null : Number(next_at);
        const counted = { count: Number(waiting), oldestAt: timeOfId(oldest), nextAt };
        found.set(id, together(found.get(id) ?? NOTHING_WAITS, counted));
      }
      behind = last;
    }
    return found;
  }

  private counted(webhookIds: string[], which: Statement[]): Promise<CountedRow[]> {
    const ids = this.database.sql.idList(webhookIds);
    const parts = which.map(
      ({ sql }) =>
        `SELECT webhook_id, id, CASE WHEN status = 'PENDING' AND next_attempt_at < ${NEVER_DUE} THEN ABS(next_attempt_at) END AS due_at
         FROM ${this.table} WHERE ${sql} AND webhook_id IN ${ids.sql}`,
    );
    return this.database.query<CountedRow[]>(
      `SELECT webhook_id, COUNT(*) AS waiting, MIN(id) AS oldest, MIN(due_at) AS next_at
       FROM (${parts.join(' UNION ALL ')}) AS part GROUP BY webhook_id`,
      which.flatMap(({ parameters }) => [...parameters, ids.parameter]),
    );
  }

  /** The last place that one statement reads up to; null if it may read to the end. */
  private async endOf(behind: QueueKey): Promise<QueueKey | null> {
    const { sql } = this.database;
    const [row] = await this.database.query<{ id: string; next_attempt_at: number | string }[]>(
      `SELECT id, next_attempt_at FROM ${this.table} WHERE ${pendingBehind(sql)}
       ORDER BY next_attempt_at, id LIMIT 1 OFFSET ${this.atOnce}`,
      keyParameters(sql, behind),
    );
    return row ? { id: row.id, dueAt: Number(row.next_attempt_at) } : null;
  }
}
