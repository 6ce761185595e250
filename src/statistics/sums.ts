import { addCounts, type Counts, noCounts } from './counts.js';
import type { DeltaEntry } from './delta.js';
import { stepAt } from './span.js';
import { STATISTIC_STEPS, type StatisticEntity } from './statistic.entity.js';

/** Which row of the statistics. */
export type RowKey = Omit<StatisticEntity, 'counts'>;

/** What a row of the statistics gets. */
export interface RowSum {
  key: RowKey;
  counts: Counts;
}

/** Stands for all users, all webhooks of a user, or all kinds. None of them can be empty. */
export const ALL = '';

/** A text that is the same for the same row. */
export const nameOf = ({ userId, webhookId, eventKind, step, beginAt }: RowKey) =>
  `${step} ${beginAt} ${webhookId} ${eventKind} ${userId}`;

/** Sums by row. Entries are merged before they are spread over their rows: a busy webhook is in every delta. */
export class RowSums {
  private readonly entries = new Map<string, DeltaEntry>();

  /** How many webhooks, kinds and minutes there are. Each changes six rows, beside those it shares with others. */
  get size(): number {
    return this.entries.size;
  }

  /** @param entry is kept and changed. A webhook has one user, so that its id says which. */
  add(entry: DeltaEntry): void {
    const name = `${entry.webhookId} ${entry.eventKind} ${entry.minuteAt}`;
    const before = this.entries.get(name);
    if (before) addCounts(before.counts, entry.counts);
    else this.entries.set(name, entry);
  }

  /** In the order of their names, so that two who write at once do not block each other. */
  all(): RowSum[] {
    const rows = new Map<string, RowSum>();
    for (const entry of this.entries.values()) {
      for (const key of rowsOf(entry)) addCounts(sumOf(rows, key).counts, entry.counts);
    }
    return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
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

function sumOf(rows: Map<string, RowSum>, key: RowKey): RowSum {
  const name = nameOf(key);
  let sum = rows.get(name);
  if (!sum) {
    sum = { key, counts: noCounts() };
    rows.set(name, sum);
  }
  return sum;
}
