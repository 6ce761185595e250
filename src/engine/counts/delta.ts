import { newId, newIdAt } from '../../platform/ids/ids.js';
import { columnJson } from '../../platform/json/column-json.js';
import { writeJson } from '../../platform/json/write-json.js';
import type { Insert } from '../../store/insert.js';
import type { StatisticDeltaEntity } from '../../store/tables/statistic-delta.entity.js';
import {
  addTo,
  type Counts,
  countsFrom,
  isStoredCounts,
  noCounts,
  type StoredCounts,
  storedCounts,
} from './counts.js';
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
export const deltasOf = (lists: CountedAttempt[][]): Insert =>
  insertOf(lists.map((attempts) => ({ id: newId(), counts: textOf(entriesOf(attempts)) })));

export const insertOf = (deltas: StatisticDeltaEntity[]): Insert => ({
  table: 'webhook_statistic_delta',
  columns: ['id', 'counts'],
  rows: deltas.map(({ id, counts }) => [id, counts]),
});

/** A delta of what was counted at a time, in epoch milliseconds: its id says how long it has been waiting to be added. */
export const deltaAt = (time: number, entries: DeltaEntry[]): StatisticDeltaEntity => ({
  id: newIdAt(time),
  counts: textOf(entries),
});

/** What a delta adds: nothing if it cannot be read. */
export function entriesFrom({ id, counts }: StatisticDeltaEntity): DeltaEntry[] {
  const cell = { column: 'webhook_statistic_delta.counts', row: id };
  const entries = columnJson<StoredEntry[]>(counts, cell, isStoredEntries) ?? [];
  return entries.map(([userId, webhookId, eventKind, minute, ...stored]) => ({
    userId,
    webhookId,
    eventKind,
    minuteAt: minute * STEP_MS.minute,
    counts: countsFrom(stored),
  }));
}

/** Each fits into its column: one that did not would stop the adding for good. */
const NAMES = [/^.{0,128}$/su, /^[ -~]{0,36}$/, /^[ -~]{0,64}$/];
const MAX_MINUTE = 2 ** 32;

const isStoredEntries = (value: unknown) =>
  Array.isArray(value) &&
  value.every(
    (entry) =>
      Array.isArray(entry) &&
      NAMES.every((name, index) => typeof entry[index] === 'string' && name.test(entry[index])) &&
      Number.isSafeInteger(entry[3]) &&
      Math.abs(entry[3]) < MAX_MINUTE &&
      isStoredCounts(entry.slice(4)),
  );

function entriesOf(attempts: CountedAttempt[]): DeltaEntry[] {
  const entries: DeltaEntry[] = [];
  const byWebhook = new Map<string, DeltaEntry[]>();
  for (const { userId, webhookId, eventKind, beginAt, endAt, outcome, exhausted } of attempts) {
    const minuteAt = Math.floor(endAt / STEP_MS.minute) * STEP_MS.minute;
    const own = byWebhook.get(webhookId) ?? [];
    let entry = own.find((one) => one.minuteAt === minuteAt && one.eventKind === eventKind);
    if (!entry) {
      byWebhook.set(webhookId, own);
      entry = { userId, webhookId, eventKind, minuteAt, counts: noCounts() };
      own.push(entry);
      entries.push(entry);
    }
    const { codes, durations } = entry.counts;
    addTo(codes, outcome, 1);
    if (exhausted) entry.counts.exhausted++;
    addTo(durations, bucketOf(endAt - beginAt), 1);
  }
  return entries;
}

const textOf = (entries: DeltaEntry[]) => writeJson(entries.map(toStored));

const toStored = ({ userId, webhookId, eventKind, minuteAt, counts }: DeltaEntry): StoredEntry => [
  userId,
  webhookId,
  eventKind,
  minuteAt / STEP_MS.minute,
  ...storedCounts(counts),
];
