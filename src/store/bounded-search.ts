import { type Condition, type IdRange, within } from '../platform/ids/id-range.js';
import type { Database } from './database.js';

interface BoundedSearch {
  table: string;
  /** In the order of the ids under the conditions of `found`. */
  index: string;
  found: Condition[];
  /** What the index does not hold, so that each row has to be examined. */
  sought: Condition[];
  range: IdRange;
  limit: number;
  /** Most rows that are examined. */
  maxScanned: number;
}

/** Ids of a page, newest first. `next` is the id to continue after, null at the end. */
export interface FoundIds {
  ids: string[];
  next: string | null;
}

/**
 * Finds ids without reading more than a number of rows, however many there are. It may find fewer than requested, even none,
 * although more follow: what is rare is found over several pages rather than in one slow one.
 */
export async function searchIds(database: Database, search: BoundedSearch): Promise<FoundIds> {
  const { table, index, found, sought, range, limit, maxScanned } = search;
  /** Names the index: the optimiser might choose another one, and read more. */
  const read = async (conditions: Condition[], limited: string): Promise<string[]> => {
    const where = conditions.length > 0 ? `WHERE ${conditions.map(([sql]) => sql).join(' AND ')}` : '';
    const rows = await database.query<{ id: string }[]>(
      `SELECT id FROM ${table} ${database.sql.byIndex(index)} ${where} ORDER BY id DESC ${limited}`,
      conditions.map(([, parameter]) => parameter),
    );
    return rows.map(({ id }) => id);
  };
  const [end] =
    sought.length > 0 ? await read([...found, ...within(range)], `LIMIT 1 OFFSET ${maxScanned}`) : [];
  const examined = within({ ...range, from: end ?? range.from });
  const ids = await read([...found, ...examined, ...sought], `LIMIT ${limit + 1}`);
  if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] ?? null };
  return { ids, next: end ?? null };
}
