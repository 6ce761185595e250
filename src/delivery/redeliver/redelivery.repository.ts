import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../../database/database.js';
import { indexHint } from '../../database/index-hint.js';
import { idList } from '../../database/json-rows.js';
import { HELD } from '../../trigger/line/held.js';
import { RecoveryEntity } from '../../webhook/recovery/recovery.entity.js';
import type { EnabledEvent } from '../../webhook/recovery/recovery-scope.js';
import { liningOf } from '../../webhook/settings/webhook-settings.js';
import { Instance } from '../recover/instance.js';

/** The recoveries that this instance carries on. Each change is conditional on the instance still holding the recovery. */
@Injectable()
export class RedeliveryRepository {
  private readonly hint: (index: string) => string;

  constructor(
    private readonly database: Database,
    private readonly instance: Instance,
  ) {
    this.hint = (index) => indexHint(database.dialect, index);
  }

  /** Takes the running recoveries that no living instance holds. @returns all that this instance holds. */
  async held(): Promise<RecoveryEntity[]> {
    const rows = await this.database.query<{ id: string; held_by: string }[]>(
      `SELECT r.id, r.held_by FROM webhook_recovery AS r ${this.hint('webhook_recovery_running')}
       WHERE r.running_of IS NOT NULL AND (r.held_by = ?
         OR NOT EXISTS (SELECT 1 FROM webhook_instance AS i WHERE i.id = r.held_by))`,
      [this.instance.id],
    );
    for (const { id, held_by } of rows) if (held_by !== this.instance.id) await this.take(id);
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const held = { state: 'RUNNING', heldBy: this.instance.id } as const;
    return this.database.run((manager) => manager.findBy(RecoveryEntity, { id: In(ids), ...held }));
  }

  /** The enabled events of a webhook; none if it is off or gone. */
  events(webhookId: string): Promise<EnabledEvent[]> {
    return this.database.query<EnabledEvent[]>(
      `SELECT e.id, e.kind, e.filter_hash AS filterHash FROM webhook_event AS e JOIN webhook AS w ON w.id = e.webhook_id
       WHERE e.webhook_id = ? AND e.enabled = 1 AND w.enabled = 1`,
      [webhookId],
    );
  }

  /** Whether the notifications of a webhook stand in lines. */
  async isLined(webhookId: string): Promise<boolean> {
    const [row] = await this.database.query<{ settings: string | null }[]>(
      'SELECT settings FROM webhook WHERE id = ?',
      [webhookId],
    );
    return liningOf(row?.settings ?? null) !== null;
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

  private async take(id: string): Promise<void> {
    // READ COMMITTED: under REPEATABLE READ it would lock the list of instances, and the heartbeats would wait for it.
    await this.database.transaction((manager) =>
      this.database.query(
        `UPDATE webhook_recovery SET held_by = ? WHERE id = ? AND state = 'RUNNING'
         AND held_by NOT IN (SELECT id FROM webhook_instance)`,
        [this.instance.id, id],
        manager,
      ),
    );
  }

  /** Those of these triggers that are due, or about to be, and wait for their first attempt since. One in a line waits for others. */
  async waiting(ids: string[]): Promise<string[]> {
    const list = idList(this.database.dialect, ids);
    // Not "= 'PENDING'": SQLite would find those first.
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_trigger WHERE id IN ${list.sql} AND attempt_count = schedule_offset AND next_attempt_at < ${HELD}
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
