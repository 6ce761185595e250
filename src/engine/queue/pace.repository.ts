import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { Database } from '../../store/database.js';
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
    const bounds = boundsOf(intervalMs, count);
    const step = Math.round(bounds.stepMs * 1000);
    const horizon = Math.round(bounds.horizonMs * 1000);
    const far = Math.round(bounds.farMs * 1000);
    const starts = [webhookId, step, far, step, horizon, step];
    const { insertId } = await this.database.query<{ insertId: number }>(RESERVE, starts);
    return insertId > horizon
      ? { delayMs: (insertId - horizon) / 1000, count: 0 }
      : { delayMs: insertId / 1000, count };
  }

  private reserveHere(webhookId: string, intervalMs: number, count: number): Starts {
    const { stepMs, horizonMs, farMs } = boundsOf(intervalMs, count);
    const now = this.clock.monotonic();
    const next = this.next.get(webhookId) ?? now;
    const first = next <= now || next > now + farMs ? now : next;
    if (first > now + horizonMs) return { delayMs: first - now - horizonMs, count: 0 };
    this.next.set(webhookId, first + stepMs);
    return { delayMs: first - now, count };
  }
}

/** What a reservation moves ahead by, how far ahead it may begin, and what no reservation at this rate can have reached. */
function boundsOf(intervalMs: number, count: number): { stepMs: number; horizonMs: number; farMs: number } {
  const stepMs = intervalMs * count;
  const horizonMs = Math.max(HORIZON_MS, 2 * intervalMs);
  // What is further ahead was reserved at a lower rate, or before the database's clock was set back.
  return { stepMs, horizonMs, farMs: horizonMs + Math.max(stepMs, HORIZON_MS) };
}
