import { Injectable } from '@nestjs/common';
import { Database } from '../../store/database.js';
import { dueTimeOf, LAST_URGENT } from '../ledger/due-time.js';

/** Counting stops here: a scrape must not scan millions of rows. */
const MAX_COUNTED = 100_000;

/** `due` stops at 100,000; `oldestDueAt`, in epoch milliseconds, is null if nothing is due. */
export interface Backlog {
  due: number;
  oldestDueAt: number | null;
}

@Injectable()
export class BacklogRepository {
  constructor(private readonly database: Database) {}

  async read(now: number): Promise<Backlog> {
    const where = `FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at <= ?`;
    const [[count], oldest] = await Promise.all([
      this.database.query<{ due: number | string }[]>(
        `SELECT COUNT(*) AS due FROM (SELECT 1 ${where} LIMIT ${MAX_COUNTED}) AS counted`,
        [now],
      ),
      this.database.query<{ at: number | string | null }[]>(
        `SELECT MIN(next_attempt_at) AS at ${where} AND next_attempt_at >= 0
         UNION ALL SELECT MAX(next_attempt_at) AS at ${where}`,
        [now, LAST_URGENT],
      ),
    ]);
    const dueAt = oldest.flatMap(({ at }) => (at === null ? [] : dueTimeOf(at)));
    return { due: Number(count?.due ?? 0), oldestDueAt: dueAt.length === 0 ? null : Math.min(...dueAt) };
  }
}
