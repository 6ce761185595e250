import { firstIdOf } from './first-id.js';

/** Ids from one on, and before another. */
export interface IdRange {
  from: string | undefined;
  before: string | undefined;
}

/** A condition of a statement, and its parameter. */
export type Condition = [sql: string, parameter: unknown];

/**
 * The ids of a span of time, both ends included, in epoch milliseconds, on the page behind `after`. One bound at each end: SQLite
 * uses the index for the first of several, and reads all rows between it and the others.
 */
export function idRange(
  { since, until }: { since?: number | undefined; until?: number | undefined },
  after: string | null,
): IdRange {
  const before = [...(until === undefined ? [] : [firstIdOf(until + 1)]), ...(after === null ? [] : [after])];
  return { from: since === undefined ? undefined : firstIdOf(since), before: before.sort()[0] };
}

export function within({ from, before }: IdRange): Condition[] {
  const conditions: Condition[] = [];
  if (from !== undefined) conditions.push(['id >= ?', from]);
  if (before !== undefined) conditions.push(['id < ?', before]);
  return conditions;
}
