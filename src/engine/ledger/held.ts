/**
 * When a trigger is due that waits for its turn in a line: never. It is the last time that a `Date` can hold, so no claim, scan
 * or count of what is due finds it, and nothing else has to know of lines.
 */
export const HELD = 8_640_000_000_000_000;

/** SQL for when a trigger is due that is made due at a time: one that stands in a line once it gets the turn. */
export const dueInTurn = (time: string, lined = 'lined') =>
  `CASE ${lined} WHEN 1 THEN ${HELD} ELSE ${time} END`;
