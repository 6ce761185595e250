import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import { Database } from '../../src/store/database.js';
import type { Insert } from '../../src/store/insert.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { type WebhookFilter, WebhookSearch } from '../../src/webhook/webhook-search.repository.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { webhookRows } from '../support/webhook.js';

interface Row {
  userId: string;
  name: string;
  enabled: boolean;
  eventKind: string | null;
}

describe.each(databases)('a list of webhooks on $name', (kind) => {
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
    await database.query('DELETE FROM webhook_event');
    await database.query('DELETE FROM webhook');
    const insert = (what: Insert) => database.transaction((manager) => database.insertMany(manager, what));
    const made = rows.map(({ userId, name, enabled }, at) => ({
      ...{ id: firstIdOf(at), userId, name, enabled },
      createdAt: at,
    }));
    await insert(webhookRows(made));
    const events = rows.flatMap(({ userId, eventKind }, at) =>
      eventKind === null ? [] : [[firstIdOf(at), firstIdOf(at), userId, eventKind, 1, at]],
    );
    if (events.length > 0)
      await insert({
        table: 'webhook_event',
        columns: ['id', 'webhook_id', 'user_id', 'kind', 'enabled', 'created_at'],
        rows: events,
      });
  }

  /** Reads all pages. */
  async function pagesOf(search: WebhookSearch, owner: string | null, filter: WebhookFilter, limit: number) {
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
  // Names that a database which ignores case or trailing blanks would mix up.
  const names = ['crm', 'CRM', 'crm ', 'çrm'] as const;
  const rows: fc.Arbitrary<Row[]> = fc.array(
    fc.record({
      userId: fc.constantFrom('ada', 'bob'),
      name: fc.constantFrom(...names),
      enabled: fc.boolean(),
      eventKind: fc.constantFrom(null, 'K', 'L'),
    }),
    { minLength: 1, maxLength: 40 },
  );
  const filters: fc.Arbitrary<WebhookFilter> = fc.record({
    userId: some('ada', 'bob'),
    name: some(...names),
    enabled: some(true, false),
    eventKind: some('K', 'L'),
  });

  it('has every match exactly once, newest first, however few rows one search may read', async () => {
    const search = new WebhookSearch(database);
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
            const wanted = stored.flatMap((row, at) =>
              (owner === null || row.userId === owner) &&
              Object.entries(filter).every(
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
      const plain = { userId: 'ada', name: 'crm', enabled: true, eventKind: null };
      const all: Row[] = Array.from({ length: MANY }, (_, n) => ({ ...plain, userId: `user ${n % 5000}` }));
      all[0] = { userId: 'bob', name: 'rare', enabled: false, eventKind: 'L' };
      await store(all);
      await dataSource.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook, webhook_event');
    });

    it.each<WebhookFilter>([{ name: 'rare' }, { enabled: false }, { eventKind: 'L' }])(
      'reaches the oldest of an admin that %j finds after some pages',
      async (filter) => {
        const pages = await pagesOf(new WebhookSearch(database), null, filter, 20);
        expect(pages.map((page) => page.length)).toEqual([0, 0, 1]);
      },
    );

    it('has the only one of a user on the first page', async () => {
      const found = await new WebhookSearch(database).find(
        null,
        { userId: 'bob', name: 'rare' },
        { limit: 20, after: null },
      );
      expect(found).toEqual({ ids: [firstIdOf(0)], next: null });
    });

    if (kind.name === 'MariaDB') {
      it.each<WebhookFilter>([
        {},
        { name: 'none' },
        { enabled: false },
        { eventKind: 'NONE' },
        { userId: 'bob' },
      ])('reads a few thousand rows at most for a page of %j', async (filter) => {
        await dataSource.query('FLUSH STATUS');
        await new WebhookSearch(database).find(null, filter, { limit: 20, after: null });
        const counts = await dataSource.query<{ Value: string }[]>(
          "SHOW SESSION STATUS LIKE 'Handler_read%'",
        );
        const read = counts.reduce((sum, { Value }) => sum + Number(Value), 0);
        expect(read).toBeLessThan(16_000);
      });
    }
  });
});
