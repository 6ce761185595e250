import { Injectable } from '@nestjs/common';
import { Database } from '../../store/database.js';
import { NEVER_DUE } from '../ledger/never-due.js';
import { keyParameters, pendingBehind, type QueueKey } from '../ledger/queue-order.js';

/** A trigger's place in the order of the queue. */
export type QueuePlace = QueueKey;

export interface DueTrigger extends QueuePlace {
  webhookId: string;
}

/** How many triggers are examined for those of other webhooks than some. */
const SCANNED = 4000;

interface DueRow {
  id: string;
  webhook_id: string;
  next_attempt_at: number | string;
}

const toDue = ({ id, webhook_id, next_attempt_at }: DueRow): DueTrigger => ({
  id,
  webhookId: webhook_id,
  dueAt: Number(next_attempt_at),
});

/** Looks for due triggers. It reads only the index and locks nothing: another process may take them before they are claimed. */
@Injectable()
export class DueRepository {
  private readonly dueSql: string;

  constructor(private readonly database: Database) {
    this.dueSql = `SELECT id, webhook_id, next_attempt_at FROM webhook_trigger
       WHERE ${pendingBehind(database.sql)} AND next_attempt_at <= ? ORDER BY next_attempt_at, id`;
  }

  /**
   * Triggers that are due by `now` and stand behind a place in the queue, oldest first.
   */
  async due(now: number, behind: QueuePlace, limit: number): Promise<DueTrigger[]> {
    const { sql } = this.database;
    const rows = await this.database.query<DueRow[]>(`${this.dueSql} LIMIT ?`, [
      ...keyParameters(sql, behind),
      now,
      limit,
    ]);
    return rows.map(toDue);
  }

  /**
   * The same without those of some webhooks, among the next {@link SCANNED} triggers that are due. The last of these is
   * there in any case, as the place to go on from.
   */
  async dueOfOthers(
    now: number,
    behind: QueuePlace,
    limit: number,
    webhookIds: string[],
  ): Promise<{ found: DueTrigger[]; isLast: boolean }> {
    const { sql } = this.database;
    const key = [...keyParameters(sql, behind), now];
    const list = sql.idList(webhookIds);
    const rows = await this.database.query<(DueRow & { is_end: number })[]>(
      `SELECT id, webhook_id, next_attempt_at, 0 AS is_end FROM (${this.dueSql} LIMIT ${SCANNED}) AS scanned
         WHERE webhook_id NOT IN ${list.sql}
       UNION ALL
       SELECT id, webhook_id, next_attempt_at, 1 AS is_end FROM (${this.dueSql} LIMIT 1 OFFSET ${SCANNED - 1}) AS scanned
       ORDER BY next_attempt_at, id, is_end LIMIT ?`,
      [...key, list.parameter, ...key, limit],
    );
    const isTwice = rows.at(-1)?.id === rows.at(-2)?.id;
    const isLast = rows.length < limit && rows.at(-1)?.is_end !== 1;
    return { found: (isTwice ? rows.slice(0, -1) : rows).map(toDue), isLast };
  }

  /** When the first pending trigger after `time` is due; null if there is none. */
  async nextDueAfter(time: number): Promise<number | null> {
    const [row] = await this.database.query<{ at: number | string | null }[]>(
      `SELECT MIN(next_attempt_at) AS at FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at > ? AND next_attempt_at < ${NEVER_DUE}`,
      [time],
    );
    return row?.at == null ? null : Number(row.at);
  }
}
