import { describe, expect, it } from '@jest/globals';
import type { Database } from '../../store/database.js';
import { sqliteSql } from '../../store/sqlite/sqlite-sql.js';
import { EventFilters, type Filterable } from './event-filters.service.js';
import { filterHashOf } from './stored-filter.js';

/** Filters of this text, read from a database that counts what is asked of it. */
function filtersOf(count: number, textOf: (index: number) => string) {
  const rows = Array.from({ length: count }, (_, index) => {
    const filter = textOf(index);
    return { id: String(index), filter, filter_hash: filterHashOf(filter) };
  });
  const asked: number[] = [];
  const query = async (_sql: string, [ids]: [string]) => {
    const wanted = JSON.parse(ids) as string[];
    asked.push(wanted.length);
    return wanted.map((id) => rows[Number(id)]);
  };
  const filters = new EventFilters({ sql: sqliteSql, query } as unknown as Database);
  const all = (): Filterable[] =>
    rows.map(({ id, filter_hash }) => ({ eventId: id, filterHash: filter_hash }));
  return { filters, all, asked };
}

describe('the filters of events', () => {
  it('are compiled once', async () => {
    const { filters, all, asked } = filtersOf(10_000, (index) => `{"status":"INVALID","score":${index}}`);
    await filters.of(all(), null);
    await filters.of(all(), null);
    expect(asked).toEqual([10_000]);
  });

  it('are kept by their bytes, not by their number', async () => {
    const { filters, all, asked } = filtersOf(500, (index) => `{"a":[${'[],'.repeat(5000)}[]],"b":${index}}`);
    await filters.of(all(), null);
    // Of all of them, these are the newest.
    await filters.of(all().slice(-100), null);
    await filters.of(all().slice(0, 100), null);
    expect(asked).toEqual([500, 100]);
  });
});
