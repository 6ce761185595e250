import { Inject, Injectable } from '@nestjs/common';
import { NEVER_DUE } from '../../engine/ledger/never-due.js';
import { QUEUE_START, type QueueKey } from '../../engine/ledger/queue-order.js';
import { type QueuePart, QueueParts } from '../../engine/ledger/queue-parts.repository.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { timeOfId } from '../../platform/ids/first-id.js';
import { Database } from '../../store/database.js';
import type { Statement } from '../../store/insert.js';
import { NOTHING_WAITS, together, type Waiting } from './waiting.js';

/** After this, what was found is answered: that of more than a million triggers. */
const MAX_MS = 1000;

interface CountedRow {
  webhook_id: string;
  waiting: number | string;
  oldest: string;
  next_at: number | string | null;
}

/**
 * Counts the triggers that are not delivered yet. There is no index of them by webhook, which every attempt would have to
 * write: the queue's own is read, in parts.
 */
@Injectable()
export class WaitingRepository {
  /** Triggers read by one statement. */
  protected readonly atOnce: number = 100_000;
  private readonly queue: QueueParts;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.queue = new QueueParts(database);
  }

  /**
   * Counts in one statement, and so exactly, unless very much waits.
   *
   * @returns what waits for each of these webhooks; those without anything are left out.
   */
  async of(webhookIds: string[]): Promise<Map<string, Waiting>> {
    const found = new Map<string, Waiting>();
    const until = this.clock.monotonic() + MAX_MS;
    // With the first part of the queue, as what comes from one to the other in between would be counted twice.
    let also: Statement[] = [{ sql: `status = 'DELIVERING'`, parameters: [] }];
    for (
      let behind: QueueKey | null = QUEUE_START;
      behind !== null && this.clock.monotonic() < until;
      also = []
    ) {
      const { where, end }: QueuePart = await this.queue.next(behind, this.atOnce);
      for (const row of await this.counted(webhookIds, [where, ...also])) {
        const { webhook_id: id, waiting, oldest, next_at } = row;
        const nextAt = next_at === null ? null : Number(next_at);
        const counted = { count: Number(waiting), oldestAt: timeOfId(oldest), nextAt };
        found.set(id, together(found.get(id) ?? NOTHING_WAITS, counted));
      }
      behind = end;
    }
    return found;
  }

  private counted(webhookIds: string[], which: Statement[]): Promise<CountedRow[]> {
    const ids = this.database.sql.idList(webhookIds);
    const parts = which.map(
      ({ sql }) =>
        `SELECT webhook_id, id, CASE WHEN status = 'PENDING' AND next_attempt_at < ${NEVER_DUE} THEN ABS(next_attempt_at) END AS due_at
         FROM ${this.queue.table} WHERE ${sql} AND webhook_id IN ${ids.sql}`,
    );
    return this.database.query<CountedRow[]>(
      `SELECT webhook_id, COUNT(*) AS waiting, MIN(id) AS oldest, MIN(due_at) AS next_at
       FROM (${parts.join(' UNION ALL ')}) AS part GROUP BY webhook_id`,
      which.flatMap(({ parameters }) => [...parameters, ids.parameter]),
    );
  }
}
