import { Injectable } from '@nestjs/common';
import type { Span } from '../engine/counts/span.js';
import type { RowKey } from '../engine/counts/sums.js';
import { Database } from '../store/database.js';

/** More bytes of deltas than this are not read, with something for each delta: nobody has added any for a long time. */
const MAX_DELTA_BYTES = 16 * 1024 * 1024;
const MAX_DELTAS = 20_000;
const BYTES_EACH = Math.ceil(MAX_DELTA_BYTES / MAX_DELTAS);

/** Whose attempts to count, each of them `ALL` for those of all, and when. */
export interface Counted extends Pick<RowKey, 'userId' | 'webhookId' | 'eventKind'>, Span {}

/** A stored sum of one of the calls, or a delta. */
export interface ReadRow {
  /** Which call; null for a delta. */
  call: number | null;
  /** When the step of a sum begins. */
  beginAt: number;
  /** The id of a delta. */
  id: string;
  counts: string;
}

const SUMS = `begin_at AS beginAt, '' AS id, counts FROM webhook_statistic
  WHERE user_id = ? AND webhook_id = ? AND event_kind = ? AND step = ? AND begin_at >= ? AND begin_at < ?`;

const DELTAS = `NULL AS number, size.bytes AS beginAt, delta.id AS id, delta.counts AS counts
  FROM (SELECT SUM(some.bytes) AS bytes FROM
    (SELECT OCTET_LENGTH(counts) + ${BYTES_EACH} AS bytes FROM webhook_statistic_delta LIMIT ${MAX_DELTAS}) AS some) AS size
  LEFT JOIN webhook_statistic_delta AS delta ON size.bytes < ${MAX_DELTA_BYTES}`;

interface FoundRow {
  number: number | string | null;
  /** For a delta, the bytes of all deltas together; null if there is none. */
  beginAt: number | string | null;
  /** Null if there is no delta, or if they are too many. */
  id: string | null;
  counts: string | null;
}

/** Reads what was counted. */
@Injectable()
export class StatisticRepository {
  constructor(private readonly database: Database) {}

  /** The user that a webhook belongs to; null if there is none with this id. */
  async userOf(webhookId: string): Promise<string | null> {
    const [row] = await this.database.query<{ userId: string }[]>(
      'SELECT user_id AS userId FROM webhook WHERE id = ?',
      [webhookId],
    );
    return row?.userId ?? null;
  }

  /**
   * The sums for each of the calls, and all deltas. Null if too many are not added yet. One statement sees one moment: a delta
   * is in the sums or beside them, and never in both or neither.
   */
  async read(calls: Counted[]): Promise<ReadRow[] | null> {
    const sums = calls.map((_, number) => `SELECT ${number} AS number, ${SUMS}`);
    const rows = await this.database.query<FoundRow[]>(
      [...sums, `SELECT ${DELTAS}`].join(' UNION ALL '),
      calls.flatMap(({ userId, webhookId, eventKind, step, begin, end }) => [
        userId,
        webhookId,
        eventKind,
        step,
        begin,
        end,
      ]),
    );
    const found: ReadRow[] = [];
    for (const { number, beginAt, id, counts } of rows) {
      if (id !== null && counts !== null) {
        found.push({ call: number === null ? null : Number(number), beginAt: Number(beginAt), id, counts });
      } else if (beginAt !== null) return null;
    }
    return found;
  }
}
