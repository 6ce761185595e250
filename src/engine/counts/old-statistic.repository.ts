import { Injectable } from '@nestjs/common';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import { STATISTIC_STEPS, type StatisticStep } from '../../store/tables/statistic.entity.js';
import { firstStored } from './span.js';
import { KEY, KEY_COLUMNS } from './sums.js';

const AT_ONCE = 500;

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
    const { sql } = this.database;
    const found = await this.database.query<Record<string, unknown>[]>(
      `SELECT ${KEY_COLUMNS.join(', ')} FROM webhook_statistic ${sql.byIndex('webhook_statistic_age')}
       WHERE step = ? AND begin_at < ? LIMIT ${AT_ONCE}`,
      [step, before],
    );
    if (found.length === 0) return 0;
    const keys = found.map((row) => KEY_COLUMNS.map((name) => row[name]));
    await this.database.query(sql.deleteRows('webhook_statistic', KEY), [writeJson(keys)]);
    return found.length;
  }
}
