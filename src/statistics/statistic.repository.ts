import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { addCounts, type Counts, countsFrom, noCounts } from './counts.js';
import { type DeltaEntry, entriesFrom } from './delta.js';
import { type Span, stepAt } from './span.js';
import { ALL, type RowKey } from './sums.js';

/** More deltas than this are not read: nobody has added any for minutes. */
const MAX_DELTAS = 20_000;

/** Whose attempts; each of them {@link ALL} for those of all. */
export type Counted = Pick<RowKey, 'userId' | 'webhookId' | 'eventKind'>;

// One statement sees one moment: a delta is in the sums or beside them, and never in both or neither.
const READ = `SELECT begin_at AS beginAt, counts FROM webhook_statistic
    WHERE user_id = ? AND webhook_id = ? AND event_kind = ? AND step = ? AND begin_at >= ? AND begin_at < ?
  UNION ALL
  SELECT NULL, counts FROM (SELECT counts FROM webhook_statistic_delta LIMIT ${MAX_DELTAS + 1}) AS delta`;

interface ReadRow {
  beginAt: number | string | null;
  counts: string;
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

  /** The counts of each step that has any, by its begin. Null if too many are not added yet. */
  async read(of: Counted, span: Span): Promise<Map<number, Counts> | null> {
    const { userId, webhookId, eventKind } = of;
    const { step, begin, end } = span;
    const rows = await this.database.query<ReadRow[]>(READ, [userId, webhookId, eventKind, step, begin, end]);
    const steps = new Map<number, Counts>();
    let deltas = 0;
    for (const { beginAt, counts } of rows) {
      if (beginAt !== null) add(steps, Number(beginAt), countsFrom(JSON.parse(counts)));
      else if (++deltas > MAX_DELTAS) return null;
      else for (const entry of entriesFrom(counts)) addEntry(steps, of, span, entry);
    }
    return steps;
  }
}

function addEntry(
  steps: Map<number, Counts>,
  of: Counted,
  { step, begin, end }: Span,
  entry: DeltaEntry,
): void {
  const isOf = (name: keyof Counted) => of[name] === ALL || of[name] === entry[name];
  const beginAt = stepAt(step, entry.minuteAt);
  if (beginAt < begin || beginAt >= end) return;
  if (isOf('userId') && isOf('webhookId') && isOf('eventKind')) add(steps, beginAt, entry.counts);
}

function add(steps: Map<number, Counts>, beginAt: number, counts: Counts): void {
  let sum = steps.get(beginAt);
  if (!sum) {
    sum = noCounts();
    steps.set(beginAt, sum);
  }
  addCounts(sum, counts);
}
