import { Injectable } from '@nestjs/common';
import { failpoint } from '../../platform/failpoint.js';
import { Database } from '../../store/database.js';
import { idList } from '../../store/json-rows.js';
import { LockedRows } from '../../store/locked-rows.js';
import { Ledger } from '../ledger/ledger.repository.js';

/** Small enough that nothing waits long for the locked rows. */
const RECOVER_AT_ONCE = 200;

const IS_ABANDONED = 'leased_by NOT IN (SELECT id FROM webhook_instance)';

/** Finds leases that nobody works on any more. */
@Injectable()
export class LeaseRecoveryRepository {
  private readonly locked: LockedRows;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {
    this.locked = new LockedRows(database, 'webhook_trigger');
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
         AND ${IS_ABANDONED} ${more} LIMIT ${RECOVER_AT_ONCE}`,
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

  private release(ids: string[], now: number): Promise<void> {
    // READ COMMITTED: under REPEATABLE READ it would lock the list, and the heartbeats would wait for it.
    return this.database.transaction((manager) =>
      this.ledger.apply(manager, 'reclaim', { ids, condition: IS_ABANDONED }, now),
    );
  }
}
