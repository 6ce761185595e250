import { DAY_MS } from '../../../platform/config/retention-check.js';
import type { RetentionConfig } from '../../../platform/config/settings.js';

const HOUR_MS = 60 * 60 * 1000;
const SHORTEST_MS = 1000;

/** A fifth of the time after which attempts lose their requests, if they ever do. */
const fifthOf = ({ payloadDays, days }: RetentionConfig) =>
  (DAY_MS / 5) * Math.min(payloadDays || Number.POSITIVE_INFINITY, days || Number.POSITIVE_INFINITY);

/** How often a head in use is stored again. One that has not been stored for longer is not given to new attempts. */
export const storeAgainMs = (retention: RetentionConfig) =>
  Math.max(SHORTEST_MS, Math.min(HOUR_MS, fifthOf(retention)));

/** How often to look for heads that no attempt names. */
export const sweepAgainMs = (retention: RetentionConfig) =>
  Math.max(SHORTEST_MS, Math.min(DAY_MS, fifthOf(retention)));
