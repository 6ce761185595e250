import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import type { Statement } from '../../store/insert.js';
import { LockedRows } from '../../store/locked-rows.js';
import { keysOf } from '../../store/sql.js';

/** A trigger that somebody asked for manually. */
export interface UrgentTrigger {
  id: string;
  webhookId: string;
  /** False if it is being sent already, or is no longer to be sent. */
  isPending: boolean;
}

/**
 * Manually requested triggers, in a table of their own. It is nearly always empty, so reading it costs next to nothing, and
 * the queue's own rows and index bear no cost.
 */
@Injectable()
export class UrgentTriggerRepository {
  private readonly locked: LockedRows;
  private readonly forgetSql: string;

  constructor(private readonly database: Database) {
    this.locked = new LockedRows(database, 'webhook_urgent_trigger');
    this.forgetSql = database.sql.deleteRows('webhook_urgent_trigger', { id: 'id' });
  }

  /** Runs in the transaction that makes the triggers due. */
  async mark(manager: EntityManager, ids: string[]): Promise<void> {
    const { sql, parameters } = this.step(ids);
    await this.database.query(sql, parameters, manager);
  }

  /** The same as a step of several. @param condition SQL on a trigger `t`. */
  step(ids: string[], condition = `t.status = 'PENDING'`): Statement {
    const { insertIgnore, idList } = this.database.sql;
    const list = idList(ids);
    return {
      sql: `${insertIgnore} webhook_urgent_trigger (id) SELECT t.id FROM webhook_trigger AS t WHERE t.id IN ${list.sql} AND ${condition}`,
      parameters: [list.parameter],
    };
  }

  /** The oldest ones. */
  async find(limit: number): Promise<UrgentTrigger[]> {
    const rows = await this.database.query<
      { id: string; webhook_id: string | null; status: string | null }[]
    >(
      `SELECT urgent.id, t.webhook_id, t.status FROM webhook_urgent_trigger AS urgent
       LEFT JOIN webhook_trigger AS t ON t.id = urgent.id ORDER BY urgent.id LIMIT ${limit}`,
    );
    return rows.map(({ id, webhook_id, status }) => ({
      id,
      webhookId: webhook_id ?? '',
      isPending: status === 'PENDING',
    }));
  }

  /** Removes marks, except those that somebody has locked: they are looked at again. */
  async forget(ids: string[]): Promise<void> {
    await this.locked.skip(ids, (free) => this.database.query(this.forgetSql, [keysOf(free)]));
  }
}
