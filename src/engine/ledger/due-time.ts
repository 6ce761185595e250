/**
 * When a trigger is due, as its row has it. One that is asked for by hand, or is a probe, goes before all others: its time is
 * stored below zero, where the scan of the others does not come. So it stands in nobody's way while there is no room for it,
 * the newest goes first, and when it is due can still be told. That ends when it is claimed.
 */
export const urgentFrom = (dueAt: number) => -dueAt;
export const urgentFromSql = (dueAt: string) => `-(${dueAt})`;
/** The last of the times that are stored for those. */
export const LAST_URGENT = -1;

export const isUrgent = (stored: number | string) => Number(stored) < 0;

/** Epoch milliseconds. */
export const dueTimeOf = (stored: number | string) => Math.abs(Number(stored));
