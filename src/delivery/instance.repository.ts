import { Injectable } from '@nestjs/common';
import { failpoint } from '../common/failpoint.js';
import { Database } from '../database/database.js';
import { idList } from '../database/json-rows.js';
import { InstanceEntity } from './instance.entity.js';

const RECOVER_AT_ONCE = 1000;

@Injectable()
export class InstanceRepository {
  /** The database's own clock, in epoch milliseconds: instances need not agree on the time. */
  private readonly now: string;

  constructor(private readonly database: Database) {
    this.now =
      database.dialect === 'sqlite'
        ? `CAST(unixepoch('subsec') * 1000 AS INTEGER)`
        : 'FLOOR(UNIX_TIMESTAMP(NOW(3)) * 1000)';
  }

  async register(id: string): Promise<void> {
    await this.database.query(
      `INSERT INTO webhook_instance (id, started_at, heartbeat_at) VALUES (?, ${this.now}, ${this.now})`,
      [id],
    );
  }

  /** @returns false where the instance is registered no more: others took it for dead. */
  async heartbeat(id: string): Promise<boolean> {
    await this.database.query(`UPDATE webhook_instance SET heartbeat_at = ${this.now} WHERE id = ?`, [id]);
    return this.database.manager.existsBy(InstanceEntity, { id });
  }

  async remove(id: string): Promise<void> {
    await this.database.manager.delete(InstanceEntity, { id });
  }

  /** Takes from the list the instances without a heartbeat for so long; on SQLite there can be no other instance. */
  async removeDead(self: string, timeoutMs: number): Promise<void> {
    const dead = this.database.dialect === 'sqlite' ? '1 = 1' : `heartbeat_at < ${this.now} - ${timeoutMs}`;
    await this.database.query(`DELETE FROM webhook_instance WHERE id <> ? AND ${dead}`, [self]);
  }

  /** Makes due what is leased to an instance that is not in the list. @returns how many triggers that was. */
  async recover(now: number): Promise<number> {
    let recovered = 0;
    for (;;) {
      const rows = await this.database.query<{ id: string }[]>(
        `SELECT id FROM webhook_trigger WHERE status = 'DELIVERING'
           AND leased_by NOT IN (SELECT id FROM webhook_instance) LIMIT ${RECOVER_AT_ONCE}`,
      );
      if (rows.length > 0) {
        failpoint('recover-removed');
        await this.release(
          rows.map(({ id }) => id),
          now,
        );
        failpoint('recover-released');
      }
      recovered += rows.length;
      if (rows.length < RECOVER_AT_ONCE) return recovered;
    }
  }

  private async release(ids: string[], now: number): Promise<void> {
    const lost = idList(this.database.dialect, ids);
    await this.database.query(
      `UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ?, leased_by = '', lease = lease + 1
       WHERE id IN ${lost.sql} AND status = 'DELIVERING' AND leased_by NOT IN (SELECT id FROM webhook_instance)`,
      [now, lost.parameter],
    );
  }
}
