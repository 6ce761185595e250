import { expect } from '@jest/globals';
import fc from 'fast-check';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import type { FoundIds } from '../../src/store/bounded-search.js';
import type { Database } from '../../src/store/database.js';
import { rowsReadBy } from './one-connection.js';

/** What finds the ids of a list, page by page. */
interface Search<Filter> {
  maxScanned: number;
  find(
    owner: string | null,
    filter: Filter,
    page: { limit: number; after: string | null },
  ): Promise<FoundIds>;
}

/** The ids of all pages. */
export async function pagesOf<Filter>(
  search: Search<Filter>,
  owner: string | null,
  filter: Filter,
  limit = 20,
): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | null = null;
  do {
    const { ids, next }: FoundIds = await search.find(owner, filter, { limit, after });
    pages.push(ids);
    after = next;
  } while (after !== null);
  return pages;
}

/** How many rows MariaDB reads for the first page. */
export async function rowsReadFor<Filter>(
  { dataSource }: Database,
  search: Search<Filter>,
  owner: string | null,
  filter: Filter,
): Promise<number> {
  const before = await rowsReadBy(dataSource);
  await search.find(owner, filter, { limit: 20, after: null });
  return (await rowsReadBy(dataSource)) - before;
}

/** One of the values, or none. */
export const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/**
 * Expects every match exactly once, newest first, of a list of any rows.
 *
 * @param store stores the rows and no others, each made one millisecond after the one before.
 */
export async function expectEveryMatch<Row extends object, Filter extends object>(
  search: Search<Filter>,
  rows: fc.Arbitrary<Row[]>,
  filters: fc.Arbitrary<Filter>,
  store: (rows: Row[]) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(
    rows,
    fc.array(filters, { minLength: 1, maxLength: 6 }),
    fc.constantFrom(null, 'ada'),
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 12 }),
    async (stored, asked, owner, limit, maxScanned) => {
      await store(stored);
      search.maxScanned = maxScanned;
      for (const filter of asked) {
        const { since = 0, until = stored.length, ...equal } = filter as { since?: number; until?: number };
        const wanted = stored.flatMap((row, at) => {
          const has = ([name, value]: [string, unknown]) =>
            value === undefined || row[name as keyof Row] === value;
          const isOwn = owner === null || has(['userId', owner]);
          return at >= since && at <= until && isOwn && Object.entries(equal).every(has) ? firstIdOf(at) : [];
        });
        const pages = await pagesOf(search, owner, filter, limit);
        expect(pages.flat()).toEqual(wanted.reverse());
        expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(limit);
      }
    },
  );
  await fc.assert(property, { numRuns: 25 });
}
