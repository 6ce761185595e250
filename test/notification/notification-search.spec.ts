import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource, DataSourceOptions, Logger } from 'typeorm';
import {
  type NotificationFilter,
  NotificationSearch,
} from '../../src/notification/notification-search.repository.js';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';

interface Row {
  userId: string;
  eventKind: string;
  recordId: string | null;
}

describe.each(databases)('a list of notifications on $name', (kind) => {
  const testDatabase = useDatabase(kind);
  let dataSource: DataSource;
  let database: Database;

  beforeAll(async () => {
    const options = dataSourceOptions(testDatabase.url);
    // A single connection, because MariaDB counts the rows read per connection.
    const one = kind.name === 'MariaDB' ? { extra: { connectionLimit: 1 } } : {};
    dataSource = await createDataSource({ ...options, ...one } as DataSourceOptions).initialize();
    testDatabase.defer(() => dataSource.destroy());
    await dataSource.runMigrations();
    database = new Database(dataSource);
  });

  /** Stores the rows, each made one millisecond after the one before. */
  async function store(rows: Row[]): Promise<void> {
    await database.query('DELETE FROM webhook_notification');
    await database.transaction((manager) =>
      database.insertMany(manager, {
        table: 'webhook_notification',
        columns: ['id', 'user_id', 'event_kind', 'record_id', 'triggered_at', 'body'],
        rows: rows.map((row, at) => [
          firstIdOf(at),
          row.userId,
          row.eventKind,
          row.recordId,
          at,
          Buffer.from('{}'),
        ]),
      }),
    );
  }

  /** Reads all pages. */
  async function pagesOf(
    search: NotificationSearch,
    owner: string | null,
    filter: NotificationFilter,
    limit: number,
  ) {
    const pages: string[][] = [];
    let after: string | null = null;
    do {
      const { ids, next } = await search.find(owner, filter, { limit, after });
      pages.push(ids);
      after = next;
    } while (after !== null);
    return pages;
  }

  const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  // Ids that a database which ignores case or trailing blanks would mix up.
  const records = ['r', 'r ', 'R', ' r', 'é', 'e\u0301', 'r\u0000'] as const;
  const rows: fc.Arbitrary<Row[]> = fc.array(
    fc.record({
      userId: fc.constantFrom('ada', 'bob'),
      eventKind: fc.constantFrom('K', 'L'),
      recordId: fc.constantFrom(null, ...records),
    }),
    { maxLength: 40 },
  );
  const filters: fc.Arbitrary<NotificationFilter> = fc.record({
    userId: some('ada', 'bob'),
    eventKind: some('K', 'L'),
    recordId: some(...records),
    since: some(0, 5, 20),
    until: some(10, 25),
  });

  it('has every match exactly once, newest first, however few rows one search may read', async () => {
    const search = new NotificationSearch(database);
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.array(filters, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(null, 'ada'),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        async (stored, asked, owner, limit, maxScanned) => {
          await store(stored);
          search.maxScanned = maxScanned;
          for (const filter of asked) {
            const { since = 0, until = stored.length, ...equal } = filter;
            const wanted = stored.flatMap((row, at) =>
              at >= since &&
              at <= until &&
              (owner === null || row.userId === owner) &&
              Object.entries(equal).every(
                ([name, value]) => value === undefined || row[name as keyof Row] === value,
              )
                ? firstIdOf(at)
                : [],
            );
            const pages = await pagesOf(search, owner, filter, limit);
            expect(pages.flat()).toEqual(wanted.reverse());
            expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  describe('of many', () => {
    const MANY = 15_000;

    beforeAll(async () => {
      const plain = { userId: 'ada', eventKind: 'K', recordId: 'r' };
      const all: Row[] = Array.from({ length: MANY }, () => plain);
      all[0] = { ...plain, eventKind: 'L', recordId: 's' };
      await store(all);
      await dataSource.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook_notification');
    });

    it('has the only one of a record on the first page', async () => {
      const found = await new NotificationSearch(database).find(
        'ada',
        { recordId: 's' },
        { limit: 20, after: null },
      );
      expect(found).toEqual({ ids: [firstIdOf(0)], next: null });
    });

    it('reaches the oldest of a rare kind after some pages', async () => {
      const pages = await pagesOf(new NotificationSearch(database), 'ada', { eventKind: 'L' }, 20);
      expect(pages.map((page) => page.length)).toEqual([0, 0, 1]);
    });

    if (kind.name === 'SQLite') {
      it('reads a span of time between one bound at each end', async () => {
        const { logger } = dataSource;
        const asked: string[] = [];
        const note = (sql: string) => asked.push(sql);
        dataSource.logger = { logQuery: note, logQueryError() {}, logQuerySlow() {} } as unknown as Logger;
        const filter = { since: 10, until: MANY - 10, eventKind: 'L' };
        const { next } = await new NotificationSearch(database).find('ada', filter, {
          limit: 20,
          after: null,
        });
        await new NotificationSearch(database).find('ada', filter, { limit: 20, after: next });
        dataSource.logger = logger;
        expect(asked).toHaveLength(4);
        for (const sql of asked) expect(sql.match(/\bid (>=|<)/g)).toEqual(['id >=', 'id <']);
      });
      return;
    }

    it.each<[string | null, NotificationFilter]>([
      ['ada', {}],
      ['ada', { eventKind: 'L' }],
      ['ada', { recordId: 'r' }],
      ['ada', { recordId: 'r', eventKind: 'L' }],
      ['ada', { since: 10, until: MANY - 10, eventKind: 'L' }],
      [null, {}],
      [null, { recordId: 's' }],
      [null, { recordId: 's', eventKind: 'L', until: MANY - 10 }],
      ['bob', { eventKind: 'K' }],
    ])('reads a few thousand rows at most for %j and %j', async (owner, filter) => {
      await dataSource.query('FLUSH STATUS');
      await new NotificationSearch(database).find(owner, filter, { limit: 20, after: null });
      const counts = await dataSource.query<{ Value: string }[]>(`SHOW STATUS LIKE 'Handler_read%'`);
      const read = counts.reduce((sum, { Value }) => sum + Number(Value), 0);
      expect(read).toBeLessThan(11_000);
    });
  });
});
