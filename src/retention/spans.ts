import { DAY_MS } from '../platform/config/retention-check.js';
import type { RetentionConfig } from '../platform/config/settings.js';

const LONGEST_POLL_MS = 60_000;
const SHORTEST_POLL_MS = 50;

/** How long things are kept, in milliseconds; null is for ever. */
export interface Spans {
  /** Null as well where bodies go together with their rows. */
  payloadMs: number | null;
  rowsMs: number | null;
  /** From the end of a pass to the next; null if nothing ever goes. */
  pollMs: number | null;
}

export function spansOf({ payloadDays, days }: RetentionConfig): Spans {
  const rowsMs = days > 0 ? days * DAY_MS : null;
  const withRows = payloadDays === 0 || (rowsMs !== null && payloadDays * DAY_MS >= rowsMs);
  const payloadMs = withRows ? null : payloadDays * DAY_MS;
  const shorter = payloadMs ?? rowsMs;
  const pollMs = shorter && Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, shorter / 5));
  return { payloadMs, rowsMs, pollMs };
}
