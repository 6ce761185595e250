import { addTo, type Counts, isSuccess } from '../engine/counts/counts.js';
import { percentiles } from '../engine/counts/histogram.js';

/** How many attempts were made, and how they ended. */
export interface AttemptCounts {
  /** Attempts that ended; `succeeded` and `failed` together. */
  attempts: number;
  /** Answered with a 2xx. */
  succeeded: number;
  /** Attempts that were not answered, or with another status. */
  failed: number;
  /** Triggers that ended `FAILED`: none of their attempts succeeded, and no other is to come. */
  exhausted: number;
  /**
   * Attempts by HTTP status, or by the error's code where there was no answer. Beyond 100 codes, statuses that are not registered
   * are counted together, as `2xx` or `other`.
   */
  byCode: Record<string, number>;
  /** Milliseconds that half of the attempts took at most, within 5 %; null without attempts. */
  p50Ms: number | null;
  /** The same for 95 of 100. */
  p95Ms: number | null;
  /** The same for 99 of 100. */
  p99Ms: number | null;
}

/** What ended in one minute, hour or day. */
export interface StatisticsStep extends AttemptCounts {
  /** RFC 3339, UTC. */
  begin: string;
}

/** The attempts that ended in a span of time. */
export interface Statistics {
  /** Each step of the span, the first one first, also where nothing ended. */
  data: StatisticsStep[];
  /** All steps together. */
  total: AttemptCounts;
}

export function attemptCountsOf({ codes, exhausted, durations }: Counts): AttemptCounts {
  const ended = { attempts: 0, succeeded: 0 };
  for (const [code, count] of Object.entries(codes)) {
    addTo(ended, 'attempts', count);
    if (isSuccess(code)) addTo(ended, 'succeeded', count);
  }
  const [p50Ms = null, p95Ms = null, p99Ms = null] = percentiles(durations, [0.5, 0.95, 0.99]);
  return {
    ...ended,
    failed: ended.attempts - ended.succeeded,
    exhausted,
    byCode: codes,
    p50Ms,
    p95Ms,
    p99Ms,
  };
}
