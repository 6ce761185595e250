import { useMemo } from 'preact/hooks';
import type { Choices } from '../parts/form/fields.js';

const HOUR_MS = 3_600_000;

const SPANS: Record<string, number> = { '1h': HOUR_MS, '1d': 24 * HOUR_MS, '7d': 168 * HOUR_MS };

export const BETWEEN = 'between';

export const PERIODS: Choices<string> = [
  ['', 'Any time'],
  ['1h', 'Last hour'],
  ['1d', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  [BETWEEN, 'Between…'],
];

export interface Period {
  since?: string;
  until?: string;
}

/** The span that the address names. One that ends now begins at the same moment until another is picked. */
export function usePeriod(time: string, since: string, until: string): Period {
  return useMemo(() => {
    const ms = SPANS[time];
    if (ms !== undefined) return { since: new Date(Date.now() - ms).toISOString() };
    return { ...(since && { since }), ...(until && { until }) };
  }, [time, since, until]);
}

/** What a `datetime-local` field shows: local, to the minute. */
export function localText(iso: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return '';
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** @returns '' for what is no time. */
export function isoOf(local: string): string {
  const ms = Date.parse(local);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
