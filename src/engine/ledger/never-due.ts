/**
 * When a trigger is due that is blocked by another one of its group: never. It is the last time that a `Date` can hold, so no
 * claim, scan or count of what is due finds it.
 */
export const NEVER_DUE = 8_640_000_000_000_000;

/** SQL for when a trigger is due that is made due at a time: one that is ordered, once it is the head of its group. */
export const dueOnceHead = (time: string, ordered = 'ordered') =>
  `CASE ${ordered} WHEN 1 THEN ${NEVER_DUE} ELSE ${time} END`;
