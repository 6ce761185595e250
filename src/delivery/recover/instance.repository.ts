import { Injectable } from '@nestjs/common';
import { failpoint } from '../../common/failpoint.js';
import { Database } from '../../database/database.js';
import { idList } from '../../database/json-rows.js';
import { InstanceEntity } from './instance.entity.js';
import type { Pulse } from './liveness.js';

/** Little enough that nothing waits for long for the rows that are locked meanwhile. */
const RECOVER_AT_ONCE = 200;

@Injectable()
export class InstanceRepository {
  /** The database's own clock, in epoch milliseconds; of no zone, and of any year. */
  private readonly now: string;

  constructor(private readonly database: Database) {
    this.now =
      database.dialect === 'sqlite'
        ? `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
        : `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000`;
  }

  async register(id: string): Promise<void> {
    await this.database.query(
      `INSERT INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, ${this.now}, ${this.now})`,
      [id],
    );
  }

  /**
   * Changes the row, whatever the clock does: it is by the change that others see the instance live.
   *
   * @returns false where the instance is registered no more: others took it for dead.
   */
  async heartbeat(id: string): Promise<boolean> {
    const later = this.database.dialect === 'sqlite' ? 'MAX' : 'GREATEST';
    await this.database.query(
      `UPDATE webhook_instance SET heartbeat_at = ${later}(${this.now}, heartbeat_at + 1) WHERE id = ?`,
      [id],
    );
    return this.database.run((manager) => manager.existsBy(InstanceEntity, { id }));
  }

  async remove(id: string): Promise<void> {
    await this.database.run((manager) => manager.delete(InstanceEntity, { id }));
  }

  /** The other instances in the list. */
  async others(self: string): Promise<Pulse[]> {
    const rows = await this.database.query<{ id: string; at: number | string; age: number | string }[]>(
      `SELECT id, heartbeat_at AS at, ${this.now} - heartbeat_at AS age FROM webhook_instance WHERE id <> ?`,
      [self],
    );
    return rows.map(({ id, at, age }) => ({ id, heartbeatAt: Number(at), ageMs: Number(age) }));
  }

  /** Takes from the list those that have not changed since they were looked at; they learn of it at their next heartbeat. */
  async removeDead(dead: Pulse[]): Promise<void> {
    for (const { id, heartbeatAt } of dead)
      await this.database.run((manager) => manager.delete(InstanceEntity, { id, heartbeatAt }));
  }

  /**
   * Makes due some of what is leased to instances that are not in the list.
   *
   * @returns how many triggers that was; 0 where there are none.
   */
  async recoverSome(now: number): Promise<number> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_trigger WHERE status = 'DELIVERING'
         AND leased_by NOT IN (SELECT id FROM webhook_instance) LIMIT ${RECOVER_AT_ONCE}`,
    );
    if (rows.length === 0) return 0;
    failpoint('recover-removed');
    await this.release(
      rows.map(({ id }) => id),
      now,
    );
    failpoint('recover-released');
    return rows.length;
  }

  private async release(ids: string[], now: number): Promise<void> {
    const lost = idList(this.database.dialect, ids);
    // READ COMMITTED: otherwise it would lock the list, and the heartbeats would wait for it.
    await this.database.transaction((manager) =>
      this.database.query(
        `UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ?, leased_by = '', lease = lease + 1
         WHERE id IN ${lost.sql} AND status = 'DELIVERING' AND leased_by NOT IN (SELECT id FROM webhook_instance)`,
        [now, lost.parameter],
        manager,
      ),
    );
  }
}
