import type { Histogram } from './histogram.js';

/** What is counted of attempts. */
export interface Counts {
  /** Attempts by HTTP status, or by the error's code where there was none. */
  codes: Record<string, number>;
  /** Triggers that ended FAILED. */
  exhausted: number;
  durations: Histogram;
}

/** As they are stored. */
export type StoredCounts = [codes: Counts['codes'], exhausted: number, durations: Histogram];

export const noCounts = (): Counts => ({ codes: {}, exhausted: 0, durations: {} });

export const storedCounts = ({ codes, exhausted, durations }: Counts): StoredCounts => [
  codes,
  exhausted,
  durations,
];

export const countsFrom = ([codes, exhausted, durations]: StoredCounts): Counts => ({
  codes,
  exhausted,
  durations,
});

/** Adds to the first. */
export function addCounts(sum: Counts, { codes, exhausted, durations }: Counts): void {
  addEach(sum.codes, codes);
  sum.exhausted += exhausted;
  addEach(sum.durations, durations);
}

function addEach(sum: Record<string, number>, counts: Record<string, number>): void {
  for (const name of Object.keys(counts)) addTo(sum, name, counts[name] as number);
}

export function addTo(sum: Record<string, number>, name: string, count: number): void {
  sum[name] = (sum[name] ?? 0) + count;
}
