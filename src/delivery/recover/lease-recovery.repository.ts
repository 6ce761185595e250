import { Injectable } from '@nestjs/common';
import { failpoint } from '../../common/failpoint.js';
import { Database } from '../../database/database.js';
import { indexHint } from '../../database/index-hint.js';
import { idList } from '../../database/json-rows.js';
import { LockedRows } from '../../database/locked-rows.js';
import { ChangeLog } from '../../trigger/changes/change-log.repository.js';
import { LineMarks } from '../../trigger/line/line-mark.repository.js';

/** Small enough that nothing waits long for the locked rows. */
const RECOVER_AT_ONCE = 200;

/** Finds leases that nobody works on any more. */
@Injectable()
export class LeaseRecoveryRepository {
  private readonly locked: LockedRows;
  /** Otherwise MySQL scans a small table, and waits for rows that others have locked. */
  private readonly byKey: string;

  constructor(
    private readonly database: Database,
    private readonly lines: LineMarks,
    private readonly changes: ChangeLog,
  ) {
    this.locked = new LockedRows(database, 'webhook_trigger');
    this.byKey = indexHint(database.dialect, 'PRIMARY');
  }

  /**
   * Makes due some of the triggers that are leased to instances that are not in the list.
   *
   * @param now when they become due. Epoch milliseconds.
   * @param locked those that somebody has locked, which are left alone. More of them are added.
   * @returns how many triggers that was; 0 if there are none left.
   */
  async recoverSome(now: number, locked = new Set<string>()): Promise<number> {
    for (;;) {
      const ids = await this.abandoned([...locked]);
      if (ids.length === 0) return 0;
      failpoint('recover-removed');
      const skipped = await this.locked.skip(ids, (free) => this.release(free, now));
      failpoint('recover-released');
      for (const id of skipped) locked.add(id);
      if (skipped.size < ids.length) return ids.length - skipped.size;
    }
  }

  private async abandoned(but: string[]): Promise<string[]> {
    const others = idList(this.database.dialect, but);
    const [more, parameters] =
      but.length > 0 ? [`AND id NOT IN ${others.sql}`, [others.parameter]] : ['', []];
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_trigger WHERE status = 'DELIVERING'
         AND leased_by NOT IN (SELECT id FROM webhook_instance) ${more} LIMIT ${RECOVER_AT_ONCE}`,
      parameters,
    );
    return rows.map(({ id }) => id);
  }

  /** The leases of an instance, as the database knows them: each trigger's id and fencing token. */
  async leasesOf(instanceId: string): Promise<Map<string, number>> {
    const rows = await this.database.query<{ id: string; lease: number }[]>(
      `SELECT id, lease FROM webhook_trigger WHERE status = 'DELIVERING' AND leased_by = ?`,
      [instanceId],
    );
    return new Map(rows.map(({ id, lease }) => [id, lease]));
  }

  private async release(ids: string[], now: number): Promise<void> {
    const lost = idList(this.database.dialect, ids);
    // READ COMMITTED: under REPEATABLE READ it would lock the list, and the heartbeats would wait for it.
    await this.database.transaction(async (manager) => {
      await this.database.query(
        `UPDATE webhook_trigger ${this.byKey} SET status = 'PENDING', next_attempt_at = ?, leased_by = '', lease = lease + 1
         WHERE id IN ${lost.sql} AND status = 'DELIVERING' AND leased_by NOT IN (SELECT id FROM webhook_instance)`,
        [now, lost.parameter],
        manager,
      );
      await this.lines.add(manager, ids);
      await this.changes.add(manager, ids);
    });
  }
}
