import type { EntityManager } from 'typeorm';
import { failpoint } from '../../common/failpoint.js';
import type { Database } from '../../database/database.js';
import { type JsonRowType, jsonRows, updateFromRows } from '../../database/json-rows.js';
import type { ChangeLog } from '../../trigger/changes/change-log.repository.js';
import type { LineMarks } from '../../trigger/line/line-mark.repository.js';
import type { RecoveryEntity } from '../../webhook/recovery/recovery.entity.js';
import type { Found } from '../../webhook/recovery/recovery-scope.js';
import type { Instance } from '../recover/instance.js';
import {
  IS_UNDELIVERED,
  NEW_COLUMNS,
  NEW_IN_TURN,
  REVIVED,
  type Step,
  type StepRepository,
} from './step.repository.js';

interface Wanted extends Found {
  dueAt: number;
}

const REVIVE = updateFromRows(
  'mysql',
  'webhook_trigger',
  { id: 'id', event_id: 'id', due_at: 'integer' },
  REVIVED,
  `t.id = j.id AND ${IS_UNDELIVERED}`,
);

const MADE: Record<string, JsonRowType> = {
  id: 'id',
  notification_id: 'id',
  event_id: 'id',
  event_kind: 'word',
  due_at: 'integer',
};
const MAKE = `INSERT IGNORE INTO webhook_trigger (${NEW_COLUMNS})
  SELECT j.id, j.notification_id, ?, j.event_id, j.event_kind, ?, 'PENDING', ${NEW_IN_TURN.due}, 'recover', ${NEW_IN_TURN.lined}
  FROM ${jsonRows('mysql', MADE)} AS j`;

/** Steps on MySQL and MariaDB: with locks, in the order in which settling, switching off and erasing take them. */
export class MysqlStepRepository implements StepRepository {
  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
    private readonly lines: LineMarks,
    private readonly changes: ChangeLog,
  ) {}

  async carryOn(row: RecoveryEntity, step: Step): Promise<boolean> {
    const isCarriedOn = await this.database.transaction(async (manager) => {
      if (!(await this.lock(manager, row))) return false;
      failpoint('redeliver-begun');
      const events = await this.events(manager, row.webhookId);
      if (!events) {
        await this.end(manager, row, 'STOPPED', step.now);
        return false;
      }
      const { found, through } = step.stretch;
      const wanted = found.flatMap((one, i) =>
        events.has(one.event.id) ? [{ ...one, dueAt: step.dueAt[i] as number }] : [],
      );
      const made = await this.makeDue(manager, row, wanted, step.isLined);
      const ids = wanted.map(({ triggerId }) => triggerId);
      await this.lines.add(manager, ids);
      await this.changes.add(manager, ids);
      failpoint('redeliver-made');
      await this.database.query(
        'UPDATE webhook_recovery SET position = ?, total = GREATEST(total, done + ?), done = done + ? WHERE id = ?',
        [through ?? step.endId, made, made, row.id],
        manager,
      );
      if (through === null) await this.end(manager, row, 'DONE', step.now);
      failpoint('redeliver-written');
      return through !== null;
    });
    failpoint('redeliver-committed');
    return isCarriedOn;
  }

  /** Whoever holds this lock is the only one to carry the recovery on; stopping it waits. */
  private async lock(manager: EntityManager, { id, position }: RecoveryEntity): Promise<boolean> {
    const rows = await this.database.query<unknown[]>(
      `SELECT id FROM webhook_recovery WHERE id = ? AND state = 'RUNNING' AND held_by = ? AND position = ? FOR UPDATE`,
      [id, this.instance.id, position],
      manager,
    );
    return rows.length > 0;
  }

  /** The ids of the enabled events; null if the webhook is off or gone. Nothing is switched off until the transaction ends. */
  private async events(manager: EntityManager, webhookId: string): Promise<Set<string> | null> {
    const webhooks = await this.database.query<unknown[]>(
      'SELECT id FROM webhook WHERE id = ? AND enabled = 1 LOCK IN SHARE MODE',
      [webhookId],
      manager,
    );
    if (webhooks.length === 0) return null;
    const events = await this.database.query<{ id: string }[]>(
      'SELECT id FROM webhook_event WHERE webhook_id = ? AND enabled = 1 LOCK IN SHARE MODE',
      [webhookId],
      manager,
    );
    return new Set(events.map(({ id }) => id));
  }

  /** @returns how many are due now. */
  private async makeDue(
    manager: EntityManager,
    { webhookId, userId }: RecoveryEntity,
    found: Wanted[],
    isLined: boolean,
  ): Promise<number> {
    if (found.length === 0) return 0;
    const withBodies = await this.withBodies(manager, found);
    const wanted = found.filter(({ notificationId }) => withBodies.has(notificationId));
    const old = wanted.filter(({ isNew }) => !isNew);
    const missing = wanted.filter(({ isNew }) => isNew);
    const revived = old.map(({ triggerId, event, dueAt }) => [triggerId, event.id, dueAt]);
    const made = missing.map(({ triggerId, notificationId, event, dueAt }) => [
      ...[triggerId, notificationId, event.id, event.kind],
      dueAt,
    ]);
    const lined = isLined ? 1 : 0;
    return (
      (await this.change(manager, REVIVE, [], revived)) +
      (await this.change(manager, MAKE, [webhookId, userId, lined, lined], made))
    );
  }

  /** The notifications whose body is there. Nobody takes it away until the transaction ends. */
  private async withBodies(manager: EntityManager, found: Found[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }[]>(
      'SELECT id FROM webhook_notification WHERE id IN (?) AND payload_gone_at = 0 LOCK IN SHARE MODE',
      [found.map(({ notificationId }) => notificationId)],
      manager,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Every row found is changed, so it does not matter whether MySQL counts found or changed rows. */
  private async change(
    manager: EntityManager,
    sql: string,
    parameters: (string | number)[],
    rows: unknown[][],
  ): Promise<number> {
    if (rows.length === 0) return 0;
    const all = [...parameters, JSON.stringify(rows)];
    const { affectedRows } = await this.database.query<{ affectedRows: number }>(sql, all, manager);
    return affectedRows;
  }

  private async end(
    manager: EntityManager,
    { id }: RecoveryEntity,
    state: 'DONE' | 'STOPPED',
    now: number,
  ): Promise<void> {
    await this.database.query(
      'UPDATE webhook_recovery SET state = ?, running_of = NULL, end_at = ? WHERE id = ?',
      [state, now, id],
      manager,
    );
  }
}
