import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../../platform/ids/ids.js';
import { Database } from '../../store/database.js';
import { databaseTime } from '../../store/database-time.js';

/** How long changes are noted after the last stream has ended, so that a client that comes back misses nothing. */
const KEPT_MS = 5 * 60_000;

const NAME = `'changes'`;

/** What is known of the watch. */
export interface WatchState {
  isOn: boolean;
  /** See `WatchEntity`. */
  epoch: string;
  prunedId: number;
  /** For how long it has been on. */
  ageMs: number;
}

interface WatchRow {
  epoch: string;
  pruned_id: number | string;
  age: number | string;
  is_on: number | string;
}

/** Whether changes are noted: one row that all processes share. */
@Injectable()
export class WatchRepository {
  private readonly renewSql: string;
  private readonly readSql: string;
  private readonly removeSql: string;

  constructor(private readonly database: Database) {
    const now = databaseTime(database.dialect);
    const onConflict = database.dialect === 'mysql' ? 'ON DUPLICATE KEY UPDATE' : 'ON CONFLICT DO UPDATE SET';
    // `expires_at` is set last: MySQL sets one column after the other, and the others depend on what it was.
    this.renewSql = `INSERT INTO webhook_watch (name, epoch, since_at, expires_at, pruned_id)
      VALUES (${NAME}, ?, ${now}, ${now} + ${KEPT_MS}, 0)
      ${onConflict} epoch = CASE WHEN expires_at <= ${now} THEN ? ELSE epoch END,
        since_at = CASE WHEN expires_at <= ${now} THEN ${now} ELSE since_at END, expires_at = ${now} + ${KEPT_MS}`;
    this.readSql = `SELECT epoch, pruned_id, ${now} - since_at AS age,
        CASE WHEN expires_at > ${now} THEN 1 ELSE 0 END AS is_on FROM webhook_watch WHERE name = ${NAME}`;
    this.removeSql = `DELETE FROM webhook_watch WHERE name = ${NAME} AND epoch = ? AND expires_at <= ${now}`;
  }

  /** @returns null if nobody has watched since the last clean-up. */
  async read(manager?: EntityManager): Promise<WatchState | null> {
    const [row] = await this.database.query<WatchRow[]>(this.readSql, [], manager);
    if (!row) return null;
    return {
      isOn: Number(row.is_on) === 1,
      epoch: row.epoch,
      prunedId: Number(row.pruned_id),
      ageMs: Number(row.age),
    };
  }

  /** Begins to watch, or goes on. */
  async renew(): Promise<void> {
    const epoch = newId();
    await this.database.transaction((manager) => this.database.query(this.renewSql, [epoch, epoch], manager));
  }

  /** Notes that changes up to an id are about to be removed. */
  async setPruned(id: number): Promise<void> {
    await this.database.query(
      `UPDATE webhook_watch SET pruned_id = ? WHERE name = ${NAME} AND pruned_id < ?`,
      [id, id],
    );
  }

  /** Removes the row if the watch is over. */
  async remove(epoch: string): Promise<void> {
    await this.database.query(this.removeSql, [epoch]);
  }
}
