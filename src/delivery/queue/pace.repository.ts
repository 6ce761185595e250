import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, type Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import type { Starts } from './rate-gate.js';

/** Starts are not reserved further ahead than this, or two of them at low rates. */
const HORIZON_MS = 1000;
/** The number of webhooks that are remembered on SQLite. */
const MAX_REMEMBERED = 10_000;

const NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

/** Answers the delay before the first start, in microseconds, as `insertId`; the row stays as it is beyond the horizon. */
const RESERVE = `INSERT INTO webhook_pace (webhook_id, next_at) VALUES (?, ${NOW} + ?)
  ON DUPLICATE KEY UPDATE next_at = CASE
    WHEN next_at <= ${NOW} OR next_at > ${NOW} + ? THEN ${NOW} + ? + LAST_INSERT_ID(0)
    WHEN next_at <= ${NOW} + ? THEN next_at + ? + 0 * LAST_INSERT_ID(next_at - ${NOW})
    ELSE next_at + 0 * LAST_INSERT_ID(next_at - ${NOW}) END`;

/**
 * The start times of webhooks with a rate. On MySQL and MariaDB all processes take them from one row for each webhook, by
 * the database's clock. SQLite has one process, which keeps them in memory.
 */
@Injectable()
export class PaceRepository {
  /** Monotonic. */
  private readonly next = new LRUCache<string, number>({ max: MAX_REMEMBERED });

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @param intervalMs between two starts. */
  async reserve(webhookId: string, intervalMs: number, count: number): Promise<Starts> {
    if (this.database.dialect === 'sqlite') return this.reserveHere(webhookId, intervalMs, count);
    const step = Math.round(intervalMs * count * 1000);
    const horizon = Math.round(Math.max(HORIZON_MS, 2 * intervalMs) * 1000);
    // What is further ahead was written before the database's clock was set back.
    const far = horizon + Math.max(step, HORIZON_MS * 1000);
    const { insertId } = await this.database.run((manager) =>
      this.database.query<{ insertId: number }>(
        RESERVE,
        [webhookId, step, far, step, horizon, step],
        manager,
      ),
    );
    return insertId > horizon
      ? { delayMs: (insertId - horizon) / 1000, count: 0 }
      : { delayMs: insertId / 1000, count };
  }

  private reserveHere(webhookId: string, intervalMs: number, count: number): Starts {
    const now = this.clock.monotonic();
    const first = Math.max(now, this.next.get(webhookId) ?? now);
    this.next.set(webhookId, first + count * intervalMs);
    return { delayMs: first - now, count };
  }
}
