import { newId } from '../common/ids/ids.js';
import type { Insert } from '../database/insert.js';
import { addTo, type Counts, countsFrom, noCounts, type StoredCounts, storedCounts } from './counts.js';
import { bucketOf } from './histogram.js';
import { STEP_MS } from './span.js';

/** An attempt, as far as it is counted. Times are epoch milliseconds. */
export interface CountedAttempt {
  userId: string;
  webhookId: string;
  eventKind: string;
  beginAt: number;
  endAt: number;
  /** The HTTP status, or the error's code where there was none. */
  outcome: string;
  /** Whether its trigger ended FAILED. */
  exhausted: boolean;
}

/** What attempts of one webhook and kind add to one minute. */
export interface DeltaEntry {
  userId: string;
  webhookId: string;
  eventKind: string;
  /** When the minute begins. Epoch milliseconds. */
  minuteAt: number;
  counts: Counts;
}

type StoredEntry = [userId: string, webhookId: string, eventKind: string, minute: number, ...StoredCounts];

/** Adds attempts to the statistics, one row for each of the lists; to be written in the transaction that stores them. */
export const deltasOf = (lists: CountedAttempt[][]): Insert => ({
  table: 'webhook_statistic_delta',
  columns: ['id', 'counts'],
  rows: lists.map((attempts) => [newId(), JSON.stringify(entriesOf(attempts).map(toStored))]),
});

/** @param text the counts of a delta's row. */
export const entriesFrom = (text: string): DeltaEntry[] =>
  (JSON.parse(text) as StoredEntry[]).map(([userId, webhookId, eventKind, minute, ...counts]) => ({
    userId,
    webhookId,
    eventKind,
    minuteAt: minute * STEP_MS.minute,
    counts: countsFrom(counts),
  }));

function entriesOf(attempts: CountedAttempt[]): DeltaEntry[] {
  const entries = new Map<string, DeltaEntry>();
  for (const { userId, webhookId, eventKind, beginAt, endAt, outcome, exhausted } of attempts) {
    const minute = Math.floor(endAt / STEP_MS.minute);
    const key = `${webhookId} ${eventKind} ${minute}`;
    let entry = entries.get(key);
    if (!entry) {
      entry = { userId, webhookId, eventKind, minuteAt: minute * STEP_MS.minute, counts: noCounts() };
      entries.set(key, entry);
    }
    addTo(entry.counts.codes, outcome, 1);
    if (exhausted) entry.counts.exhausted++;
    addTo(entry.counts.durations, String(bucketOf(endAt - beginAt)), 1);
  }
  return [...entries.values()];
}

const toStored = ({ userId, webhookId, eventKind, minuteAt, counts }: DeltaEntry): StoredEntry => [
  userId,
  webhookId,
  eventKind,
  minuteAt / STEP_MS.minute,
  ...storedCounts(counts),
];
