import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';

/** SQL for a webhook that fails: it was disabled for that, or may be. What it does not get has to come back. */
export const IS_FAILING = `(disabled_reason = 'failing' OR (disabled_reason IS NULL AND failing_since IS NOT NULL))`;

/** SQL for a trigger `t` that its webhook `w` has missed, if that fails. */
const IS_MISSED = `t.schedule_offset = 0 AND t.cancelled_for IS NULL
        AND (t.status = 'FAILED' OR (t.status = 'CANCELLED' AND w.disabled_reason IS NOT NULL))`;

/** Comes after every id. */
export const NONE = '~';

/**
 * `recover_from`, the oldest notification that a webhook has to get once its receiver is well again. Lowered by whatever ends
 * without a success, in the transaction that ends it.
 */
@Injectable()
export class RecoverFrom {
  constructor(private readonly database: Database) {}

  /**
   * Takes in those of these triggers that have failed for good, or were cancelled because their webhook was disabled as
   * `failing`. Not what was erased or superseded; and what had been sent again by hand, long after it was made, says nothing
   * about since when its webhook fails.
   */
  async lower(manager: EntityManager, webhookIds: string[], triggerIds: string[]): Promise<void> {
    const { sql, parameters } = this.statement(webhookIds, triggerIds);
    await this.database.query(sql, parameters, manager);
  }

  /** The statement that does it. On MySQL the webhooks' rows are to be locked before their triggers'. */
  statement(webhookIds: string[], triggerIds: string[]): { sql: string; parameters: unknown[] } {
    const { sql: pieces } = this.database;
    const [webhooks, triggers] = [pieces.idList(webhookIds), pieces.idList(triggerIds)];
    if (pieces.hasUpdateFrom)
      return {
        sql: `UPDATE webhook AS w SET recover_from = f.oldest
          FROM (SELECT t.webhook_id, MIN(t.notification_id) AS oldest
            FROM webhook_trigger AS t JOIN webhook AS w ON w.id = t.webhook_id
            WHERE t.id IN ${triggers.sql} AND ${IS_MISSED} GROUP BY t.webhook_id) AS f
          WHERE w.id = f.webhook_id AND ${IS_FAILING} AND f.oldest < COALESCE(w.recover_from, '${NONE}')`,
        parameters: [triggers.parameter],
      };
    // Not an UPDATE of a join, which would scan a small table and wait for others' rows.
    const oldest = `(SELECT MIN(CASE WHEN t.webhook_id = w.id AND ${IS_MISSED} THEN t.notification_id END)
      FROM webhook_trigger AS t ${pieces.byIndex('PRIMARY')} WHERE t.id IN ${triggers.sql})`;
    return {
      sql: `UPDATE webhook AS w SET recover_from = ${oldest}
        WHERE w.id IN ${webhooks.sql} AND ${IS_FAILING} AND ${oldest} < COALESCE(w.recover_from, '${NONE}')`,
      parameters: [triggers.parameter, webhooks.parameter, triggers.parameter],
    };
  }
}
