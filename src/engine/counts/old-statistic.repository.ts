import { Injectable } from '@nestjs/common';
import { Database } from '../../store/database.js';
import { type JsonRowType, jsonRows } from '../../store/json-rows.js';
import { STATISTIC_STEPS, type StatisticStep } from '../../store/tables/statistic.entity.js';
import { firstStored } from './span.js';

const AT_ONCE = 500;

const KEY: Record<string, JsonRowType> = {
  user_id: 'user',
  webhook_id: 'id',
  event_kind: 'word',
  begin_at: 'integer',
};
const COLUMNS = Object.keys(KEY);

const BY_AGE = {
  sqlite: 'INDEXED BY webhook_statistic_age',
  mysql: 'FORCE INDEX (webhook_statistic_age)',
};

/** Deletes counts that are not kept any longer. */
@Injectable()
export class OldStatisticRepository {
  constructor(private readonly database: Database) {}

  /** Deletes some. @returns whether there may be more. */
  async deleteSome(now: number): Promise<boolean> {
    for (const step of STATISTIC_STEPS) {
      if ((await this.deleteOf(step, firstStored(step, now))) === AT_ONCE) return true;
    }
    return false;
  }

  /** Finds the rows by the index and deletes them by their keys, so that no other row is locked. */
  private async deleteOf(step: StatisticStep, before: number): Promise<number> {
    const { dialect } = this.database;
    const found = await this.database.query<Record<string, unknown>[]>(
      `SELECT ${COLUMNS.join(', ')} FROM webhook_statistic ${BY_AGE[dialect]}
       WHERE step = ? AND begin_at < ? LIMIT ${AT_ONCE}`,
      [step, before],
    );
    if (found.length === 0) return 0;
    const keys = found.map((row) => COLUMNS.map((name) => row[name]));
    const on = COLUMNS.map((name) => `t.${name} = j.${name}`).join(' AND ');
    if (dialect === 'sqlite') {
      const sql = `DELETE FROM webhook_statistic WHERE ${COLUMNS.map((name) => `${name} = ?`).join(' AND ')} AND step = ?`;
      await this.database.script([{ sql, rows: keys.map((key) => [...key, step]) }]);
    } else {
      await this.database.query(
        `DELETE t FROM ${jsonRows(dialect, KEY)} AS j STRAIGHT_JOIN webhook_statistic AS t ON ${on} AND t.step = ?`,
        [JSON.stringify(keys), step],
      );
    }
    return found.length;
  }
}
