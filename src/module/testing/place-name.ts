import { randomInt } from 'node:crypto';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** With the underscore of a table prefix it has 20 characters, the most that a prefix may have. */
const NAME = /^whtest_([0-9a-z]{5})_[0-9a-z]{6}$/;
const NAME_LENGTH = 19;

/** Matches every name in SQL's LIKE, and few others. */
export const NAME_LIKE = 'whtest\\_%';

const base36 = (value: number, length: number) => value.toString(36).padStart(length, '0');

/**
 * A new name for a place that a test has to itself: `whtest_`, the minute in which it is made, and a random part.
 *
 * @param now epoch milliseconds.
 */
export function newPlaceName(now: number): string {
  return `whtest_${base36(Math.floor(now / MINUTE_MS), 5)}_${base36(randomInt(36 ** 6), 6)}`;
}

/**
 * The name at the start of a text, such as of a table with the place as its prefix, if the place is more than a day old:
 * its test was killed, because no test runs that long. Otherwise null.
 */
export function leftOverName(text: string, now: number): string | null {
  const name = text.slice(0, NAME_LENGTH);
  const minute = NAME.exec(name)?.[1];
  if (minute === undefined) return null;
  return now - Number.parseInt(minute, 36) * MINUTE_MS > DAY_MS ? name : null;
}
