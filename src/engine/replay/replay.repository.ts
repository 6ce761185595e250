import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../store/database.js';
import { RecoveryEntity } from '../../store/tables/webhook/recovery.entity.js';
import { Instance } from '../instance/instance.js';
import { NEVER_DUE } from '../ledger/never-due.js';
import { orderingRuleOf } from '../webhook/webhook-settings.js';
import type { EnabledEvent } from './scan/recovery-scope.js';

/** A running recovery that no living instance carries on, and the one that did. */
interface FreeRecovery {
  id: string;
  held_by: string;
}

/** The recoveries that this instance carries on. Each change is conditional on the instance still holding the recovery. */
@Injectable()
export class ReplayRepository {
  private readonly hint: (index: string) => string;
  private readonly skipLocked: string;

  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
  ) {
    this.hint = (index) => database.sql.byIndex(index);
    this.skipLocked = database.sql.forUpdateOfFree;
  }

  /** The running recoveries of this instance, and those that no living instance holds. */
  async running(): Promise<{ own: string[]; free: FreeRecovery[] }> {
    const rows = await this.database.query<FreeRecovery[]>(
      `SELECT r.id, r.held_by FROM webhook_recovery AS r ${this.hint('webhook_recovery_running')}
       WHERE r.running_of IS NOT NULL AND (r.held_by = ?
         OR NOT EXISTS (SELECT 1 FROM webhook_instance AS i WHERE i.id = r.held_by))`,
      [this.instance.id],
    );
    const isOwn = ({ held_by }: FreeRecovery) => held_by === this.instance.id;
    return {
      own: rows.filter(isOwn).map(({ id }) => id),
      free: rows.filter((row) => !isOwn(row)),
    };
  }

  /** How many of the running recoveries each living instance would have if all had the same number. */
  async share(): Promise<number> {
    const [row] = await this.database.query<{ running: number | string; instances: number | string }[]>(
      `SELECT (SELECT COUNT(*) FROM webhook_recovery WHERE running_of IS NOT NULL) AS running,
         (SELECT COUNT(*) FROM webhook_instance) AS instances`,
    );
    return Math.ceil(Number(row?.running) / Math.max(1, Number(row?.instances)));
  }

  /**
   * Takes some of these, unless another instance has: the id of one that has ended never comes back, so it need not be looked
   * up again. Skips those that somebody has locked.
   *
   * @returns the ids of those that it took.
   */
  take(free: FreeRecovery[], most: number): Promise<string[]> {
    const { sql } = this.database;
    const ids = sql.idList(free.map(({ id }) => id));
    const before = sql.idList([...new Set(free.map(({ held_by }) => held_by))]);
    return this.database.transaction(async (manager) => {
      const rows = await this.database.query<{ id: string }[]>(
        `SELECT id FROM webhook_recovery ${this.hint('PRIMARY')}
         WHERE id IN ${ids.sql} AND state = 'RUNNING' AND held_by IN ${before.sql} LIMIT ${most} ${this.skipLocked}`,
        [ids.parameter, before.parameter],
        manager,
      );
      if (rows.length === 0) return [];
      const taken = rows.map(({ id }) => id);
      const list = sql.idList(taken);
      await this.database.query(
        `UPDATE webhook_recovery SET held_by = ? WHERE id IN ${list.sql}`,
        [this.instance.id, list.parameter],
        manager,
      );
      return taken;
    });
  }

  /** The recoveries with these ids that run and that this instance holds. */
  async read(ids: string[]): Promise<RecoveryEntity[]> {
    if (ids.length === 0) return [];
    const held = { state: 'RUNNING', heldBy: this.instance.id } as const;
    return this.database.run((manager) => manager.findBy(RecoveryEntity, { id: In(ids), ...held }));
  }

  /** The enabled events of a webhook, none if it is gone, and whether it asks for an order. */
  async subscribed(webhookId: string): Promise<{ events: EnabledEvent[]; isOrdered: boolean }> {
    const rows = await this.database.query<(EnabledEvent & { settings: string | null })[]>(
      `SELECT e.id, e.kind, e.filter_hash AS filterHash, w.settings
       FROM webhook_event AS e JOIN webhook AS w ON w.id = e.webhook_id
       WHERE e.webhook_id = ? AND e.enabled = 1`,
      [webhookId],
    );
    return {
      events: rows.map(({ id, kind, filterHash }) => ({ id, kind, filterHash })),
      isOrdered: orderingRuleOf(rows[0]?.settings ?? null) !== null,
    };
  }

  /** Adds what was counted behind `row.counted`. */
  async addCounted(row: RecoveryEntity, count: number, through: string): Promise<void> {
    await this.database.transaction((manager) =>
      this.database.query(
        `UPDATE webhook_recovery SET total = total + ?, counted = ?
         WHERE id = ? AND state = 'RUNNING' AND held_by = ? AND counted = ?`,
        [count, through, row.id, this.instance.id, row.counted],
        manager,
      ),
    );
  }

  /** Which of these triggers still wait for their first attempt since they were made due. Blocked ones do not count. */
  async waiting(ids: string[]): Promise<string[]> {
    const list = this.database.sql.idList(ids);
    // Not "= 'PENDING'": SQLite would find those first.
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_trigger WHERE id IN ${list.sql} AND attempt_count = schedule_offset AND next_attempt_at < ${NEVER_DUE}
         AND status NOT IN ('DELIVERING', 'SUCCEEDED', 'FAILED', 'CANCELLED')`,
      [list.parameter],
    );
    return rows.map(({ id }) => id);
  }

  /** The last triggers up to a recovery's position, which an instance that died may have made due. */
  async last({ webhookId, position }: RecoveryEntity, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_trigger ${this.hint('webhook_trigger_webhook')}
       WHERE webhook_id = ? AND id <= ? ORDER BY id DESC LIMIT ${limit}`,
      [webhookId, position],
    );
    return rows.map(({ id }) => id);
  }
}
