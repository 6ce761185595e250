import type { RowColumns } from '../../store/sql.js';
import { STATISTIC_STEPS, type StatisticEntity } from '../../store/tables/statistic.entity.js';
import { addCounts, type Counts, noCounts } from './counts.js';
import type { DeltaEntry } from './delta.js';
import { stepAt } from './span.js';

/** Which row of the statistics. */
export type RowKey = Omit<StatisticEntity, 'counts'>;

/** The columns of the key of `webhook_statistic`. */
export const KEY: RowColumns = {
  user_id: 'user',
  webhook_id: 'id',
  event_kind: 'word',
  step: 'word',
  begin_at: 'integer',
};
export const KEY_COLUMNS = Object.keys(KEY);

/** What a row of the statistics gets. */
export interface RowSum {
  key: RowKey;
  counts: Counts;
}

/** Entries, and what they add to each row. */
export interface SumsPart {
  entries: DeltaEntry[];
  /** In the order of their names, so that two who write at once do not block each other. */
  rows: RowSum[];
}

/** Stands for all users, all webhooks of a user, or all kinds. None of them can be empty. */
export const ALL = '';

/** A text that is the same for the same row. */
export const nameOf = ({ userId, webhookId, eventKind, step, beginAt }: RowKey) =>
  `${step} ${beginAt} ${webhookId} ${eventKind} ${userId}`;

/** Sums by row. Entries are merged before they are spread over their rows: a busy webhook is in every delta. */
export class RowSums {
  private readonly entries = new Map<string, DeltaEntry>();

  /** @param entry is kept and changed. A webhook has one user, so that its id says which. */
  add(entry: DeltaEntry): void {
    const name = `${entry.webhookId} ${entry.eventKind} ${entry.minuteAt}`;
    const before = this.entries.get(name);
    if (before) addCounts(before.counts, entry.counts);
    else this.entries.set(name, entry);
  }

  /** In parts of about `maxRows` rows. Those of a user are in a row, so that few parts share one. */
  *parts(maxRows: number): Generator<SumsPart> {
    const entries = [...this.entries.values()].sort(byOwner);
    for (let at = 0; at < entries.length; ) {
      const begin = at;
      const rows = new Map<string, RowSum>();
      do addTo(rows, entries[at++] as DeltaEntry);
      while (at < entries.length && rows.size < maxRows);
      const ordered = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
      yield { entries: entries.slice(begin, at), rows: ordered };
    }
  }
}

const byOwner = (a: DeltaEntry, b: DeltaEntry) =>
  compare(a.userId, b.userId) || compare(a.webhookId, b.webhookId);
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function addTo(rows: Map<string, RowSum>, entry: DeltaEntry): void {
  for (const key of rowsOf(entry)) {
    const name = nameOf(key);
    let sum = rows.get(name);
    if (!sum) {
      sum = { key, counts: noCounts() };
      rows.set(name, sum);
    }
    addCounts(sum.counts, entry.counts);
  }
}

/** The rows in which attempts of one webhook, kind and minute count. */
function* rowsOf({ userId, webhookId, eventKind, minuteAt }: DeltaEntry): Generator<RowKey> {
  const owners = [
    { userId, webhookId },
    { userId, webhookId: ALL },
    { userId: ALL, webhookId: ALL },
  ];
  for (const step of STATISTIC_STEPS) {
    const beginAt = stepAt(step, minuteAt);
    for (const owner of owners) {
      for (const kind of [eventKind, ALL]) yield { ...owner, eventKind: kind, step, beginAt };
    }
  }
}
