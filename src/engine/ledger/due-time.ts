/**
 * When a trigger is due, as its row has it. One that is asked for by hand, or is a probe, goes before all others: its time is
 * stored below zero, where the scan of the others does not come. So it stands in nobody's way while there is no capacity for it,
 * the newest goes first, and when it is due can still be told. That ends when its attempt is settled.
 */
export const urgentFrom = (dueAt: number) => -dueAt;
export const urgentFromSql = (dueAt: string) => `-(${dueAt})`;
/** SQL for a new time of a trigger `t` that keeps its place before all others. Takes the time twice. */
export const asBefore = (dueAt: string) =>
  `CASE WHEN t.next_attempt_at < 0 THEN ${urgentFromSql(dueAt)} ELSE ${dueAt} END`;
/** The last of the times that are stored for those. */
export const LAST_URGENT = -1;

export const isUrgent = (stored: number | string) => Number(stored) < 0;

/** Epoch milliseconds. */
export const dueTimeOf = (stored: number | string) => Math.abs(Number(stored));
