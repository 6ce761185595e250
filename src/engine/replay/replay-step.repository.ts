import { Injectable } from '@nestjs/common';
import { failpoint } from '../../platform/failpoint.js';
import { Database } from '../../store/database.js';
import type { Statement } from '../../store/insert.js';
import type { Sql } from '../../store/sql.js';
import type { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import { Instance } from '../instance/instance.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { resentOf, type ScanPage } from './scan/recovery-scope.js';

/** What the next step of a recovery does. */
export interface Step {
  page: ScanPage;
  /** Whether the webhook asks for an order: a trigger that is made joins a group. */
  isOrdered: boolean;
  /** When each trigger found is due. Queue time. */
  dueAt: number[];
  /** Where the scan ends. */
  endId: string;
  /** Epoch milliseconds. */
  now: number;
}

/** The recovery, if it runs, is held by this instance, and stands where the step was planned. */
const OWN = `id = ? AND state = 'RUNNING' AND held_by = ? AND position = ?`;
/** By key: a plan that reads more rows would lock them all. */
const conditionsOf = ({ byIndex }: Sql) => {
  const byKey = byIndex('PRIMARY');
  const isOn = `EXISTS (SELECT 1 FROM webhook ${byKey} WHERE id = ? AND enabled = 1)`;
  return {
    isWanted: `EXISTS (SELECT 1 FROM webhook_recovery ${byKey} WHERE ${OWN}) AND ${isOn}
      AND EXISTS (SELECT 1 FROM webhook_event ${byKey} WHERE id = j.event_id AND enabled = 1)`,
    stop: `UPDATE webhook_recovery SET state = 'STOPPED', running_of = NULL, end_at = ? WHERE ${OWN} AND NOT ${isOn}`,
  };
};
const MOVE = `UPDATE webhook_recovery SET position = ? WHERE ${OWN}`;
const END = `UPDATE webhook_recovery SET position = ?, state = 'DONE', running_of = NULL, end_at = ? WHERE ${OWN}`;

/** Stores the steps of recoveries. */
@Injectable()
export class ReplayStepRepository {
  private readonly count: string;
  private readonly conditions: ReturnType<typeof conditionsOf>;
  /** Locks are taken in the same order as in settling, disabling and erasing. The holder of the first owns the recovery. */
  private readonly locks: { recovery: string; webhook: string };

  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly ledger: Ledger,
  ) {
    this.conditions = conditionsOf(database.sql);
    const { changedBefore, forShare, forUpdate, greatest } = database.sql;
    const done = `done + ${changedBefore}`;
    this.count = `UPDATE webhook_recovery SET total = ${greatest}(total, ${done}), done = ${done} WHERE ${OWN}`;
    this.locks = {
      recovery: `SELECT id FROM webhook_recovery WHERE ${OWN} ${forUpdate}`,
      webhook: `SELECT e.id FROM webhook AS w LEFT JOIN webhook_event AS e ON e.webhook_id = w.id AND e.enabled = 1
        WHERE w.id = ? ${forShare}`,
    };
  }

  /**
   * Makes due what a step found, makes the triggers that never were, and stores how far the recovery has come or that it
   * has ended: all in one transaction, and nothing unless the recovery runs, is held by this instance and stands where
   * the step was planned. Leaves out events that were switched off meanwhile, and bodies that are gone. If the webhook
   * is off or gone, the recovery is stopped.
   *
   * @returns false if the recovery is over or another instance's.
   */
  async advance(row: RecoveryEntity, { page, isOrdered, dueAt, endId, now }: Step): Promise<boolean> {
    const { webhookId, userId } = row;
    const own = [row.id, this.instance.id, row.position];
    const wanted = [...own, webhookId];
    const step = (sql: string, parameters: unknown[]): Statement => ({ sql, parameters });
    const moved = await this.ledger.resending(
      { webhookId, userId, isOrdered, cause: 'recover', ...resentOf(page.found, dueAt) },
      step(this.conditions.isWanted, wanted),
      [step(this.count, own)],
      (steps) =>
        this.database.writeTogether([
          step(this.locks.recovery, own),
          'replay-begun',
          step(this.locks.webhook, [webhookId]),
          ...steps,
          'replay-made',
          step(this.conditions.stop, [now, ...wanted]),
          page.through === null ? step(END, [endId, now, ...own]) : step(MOVE, [page.through, ...own]),
          'replay-written',
        ]),
    );
    failpoint('replay-committed');
    return page.through !== null && moved > 0;
  }
}
