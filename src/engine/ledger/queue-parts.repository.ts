import type { EntityManager } from 'typeorm';
import type { Database } from '../../store/database.js';
import type { Statement } from '../../store/insert.js';
import { keyOf, keyParameters, pendingBehind, type QueueKey, type QueueRow, upTo } from './queue-order.js';

/** A part of the queue. */
export interface QueuePart {
  /** SQL for what is pending in it. */
  where: Statement;
  /** The place to continue after; null if it reaches the end. */
  end: QueueKey | null;
}

/** The queue in parts: the few triggers of one webhook may stand among very many. */
export class QueueParts {
  /** In this index pending triggers stand together with their webhook's id, so no other row is read or locked. */
  readonly table: string;

  constructor(private readonly database: Database) {
    this.table = `webhook_trigger ${database.sql.byIndex('webhook_trigger_due')}`;
  }

  /** The part behind a place. @param most triggers in it. */
  async next(behind: QueueKey, most: number, manager?: EntityManager): Promise<QueuePart> {
    const { sql } = this.database;
    const where = { sql: pendingBehind(sql), parameters: keyParameters(sql, behind) };
    const [last] = await this.database.query<QueueRow[]>(
      `SELECT id, next_attempt_at FROM ${this.table} WHERE ${where.sql}
       ORDER BY next_attempt_at, id LIMIT 1 OFFSET ${most}`,
      where.parameters,
      manager,
    );
    if (!last) return { where, end: null };
    const end = keyOf(last);
    const parameters = [...where.parameters, ...keyParameters(sql, end)];
    return { where: { sql: `${where.sql} AND ${upTo(sql)}`, parameters }, end };
  }
}
