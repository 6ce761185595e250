import { Injectable } from '@nestjs/common';
import { addCounts, type Counts, noCounts, rowCounts } from '../engine/counts/counts.js';
import { type DeltaEntry, entriesFrom } from '../engine/counts/delta.js';
import { stepAt } from '../engine/counts/span.js';
import { ALL, nameOf } from '../engine/counts/sums.js';
import { Batcher } from '../platform/batcher.js';
import { Slices } from '../platform/slices.js';
import { Database } from '../store/database.js';
import { type Counted, type ReadRow, StatisticRepository } from './statistic.repository.js';

/** How many calls share one reading: each may have 1,500 rows of a few KiB. */
const MAX_CALLS = 4;

/** The counts of each step that has any, by its begin. */
export type Steps = Map<number, Counts>;

export interface StepsRead {
  steps: Steps;
  /** How long that took in this thread. */
  computedMs: number;
}

/**
 * Reads the statistics for calls. What is not added yet is read once for all calls that came while the reading before was under
 * way, and no two readings run at once. Each begins after its calls, so they miss nothing that was stored before.
 */
@Injectable()
export class StatisticReading {
  private readonly slices = new Slices();
  private readonly batcher = new Batcher((calls: Counted[]) => this.readAll(calls), { maxItems: MAX_CALLS });

  constructor(
    private readonly repository: StatisticRepository,
    private readonly database: Database,
  ) {}

  /** Null if too many attempts are not added yet. @throws OwnTransactionError if the caller's transaction waits for this call */
  async read(of: Counted): Promise<StepsRead | null> {
    await this.database.outsideOfOwn();
    return this.batcher.add(of);
  }

  private async readAll(calls: Counted[]): Promise<(StepsRead | null)[]> {
    const rows = await this.repository.read(calls);
    if (rows === null) return calls.map(() => null);
    const found = calls.map((of) => ({ of, steps: new Map<number, Counts>(), computedMs: 0 }));
    for (const row of rows) {
      await this.slices.run(() => {
        const begin = performance.now();
        if (row.call === null) addDelta(found, row);
        else addSum(found[row.call] as Found, row);
        const ms = performance.now() - begin;
        const of = row.call === null ? found : [found[row.call] as Found];
        for (const one of of) one.computedMs += ms / of.length;
      });
    }
    return found.map(({ steps, computedMs }) => ({ steps, computedMs }));
  }
}

interface Found extends StepsRead {
  of: Counted;
}

function addSum({ of, steps }: Found, { beginAt, counts }: ReadRow): void {
  const sum = rowCounts(counts, nameOf({ ...of, beginAt }));
  if (!sum) return;
  // It is nobody else's, so it need not be copied.
  if (steps.has(beginAt)) add(steps, beginAt, sum);
  else steps.set(beginAt, sum);
}

function addDelta(found: Found[], delta: ReadRow): void {
  for (const entry of entriesFrom(delta)) {
    for (const { of, steps } of found) {
      const beginAt = stepAt(of.step, entry.minuteAt);
      if (beginAt >= of.begin && beginAt < of.end && isOf(of, entry)) add(steps, beginAt, entry.counts);
    }
  }
}

const isOf = (of: Counted, entry: DeltaEntry) =>
  (of.userId === ALL || of.userId === entry.userId) &&
  (of.webhookId === ALL || of.webhookId === entry.webhookId) &&
  (of.eventKind === ALL || of.eventKind === entry.eventKind);

function add(steps: Steps, beginAt: number, counts: Counts): void {
  let sum = steps.get(beginAt);
  if (!sum) {
    sum = noCounts();
    steps.set(beginAt, sum);
  }
  addCounts(sum, counts);
}
