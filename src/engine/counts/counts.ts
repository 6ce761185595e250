import { columnJson, isNumbers } from '../../platform/json/column-json.js';
import type { Histogram } from './histogram.js';

/** What is counted of attempts. */
export interface Counts {
  /** Attempts by HTTP status, or by the error's code where there was none. */
  codes: Record<string, number>;
  /** Triggers that ended FAILED. */
  exhausted: number;
  durations: Histogram;
}

/** The form in which counts are stored. */
export type StoredCounts = [codes: Counts['codes'], exhausted: number, durations: Histogram];

/**
 * How many codes are counted before statuses that are not registered (RFC 9110, 16.2) share a name. A receiver can answer 900
 * of them, and each would be in every row and answer that its attempts count in.
 */
const MANY_CODES = 100;
const STATUS = /^\d{3}$/;
const REGISTERED = /^(?:10[0-4]|20[0-8]|226|30[0-8]|40\d|41[0-8]|42[1-689]|431|451|50[0-8]|51[01])$/;
const SUCCESS = /^2(?:\d\d|xx)$/;

/** Whether attempts counted under this code succeeded. */
export const isSuccess = (code: string) => SUCCESS.test(code);

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

export const isStoredCounts = (value: unknown): value is StoredCounts =>
  Array.isArray(value) && isNumbers(value[0]) && Number.isFinite(value[1]) && isNumbers(value[2]);

/** What a row of `webhook_statistic` holds; null if it cannot be read. @param row its name. */
export function rowCounts(text: string, row: string): Counts | null {
  const stored = columnJson<StoredCounts>(text, { column: 'webhook_statistic.counts', row }, isStoredCounts);
  return stored && countsFrom(stored);
}

/** Adds to the first. */
export function addCounts(sum: Counts, { codes, exhausted, durations }: Counts): void {
  for (const code of Object.keys(codes)) addTo(sum.codes, codeIn(sum.codes, code), codes[code] as number);
  sum.exhausted += exhausted;
  for (const ms of Object.keys(durations)) addTo(sum.durations, ms, durations[ms] as number);
}

export function addTo(sum: Record<string, number>, name: string | number, count: number): void {
  sum[name] = (sum[name] ?? 0) + count;
}

/** The code under which these sums count another one. */
function codeIn(codes: Counts['codes'], code: string): string {
  if (code in codes || !STATUS.test(code) || REGISTERED.test(code)) return code;
  if (Object.keys(codes).length < MANY_CODES) return code;
  return isSuccess(code) ? '2xx' : 'other';
}
