import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { TRIGGER_STATUSES, type TriggerStatus } from '../../src/store/tables/trigger/trigger.entity.js';
import { type TriggerFilter, TriggerSearch } from '../../src/trigger/trigger-search.repository.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';

interface Row {
  userId: string;
  webhookId: string;
  eventId: string | null;
  eventKind: string;
  notificationId: string;
  status: TriggerStatus;
}

const COLUMNS = [
  'id',
  'user_id',
  'webhook_id',
  'event_id',
  'event_kind',
  'notification_id',
  'status',
  'next_attempt_at',
];
const waits = (status: TriggerStatus) => status === 'PENDING' || status === 'DELIVERING';

describe.each(databases)('a list of triggers on $name', (kind) => {
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
    await dataSource.query(
      `INSERT INTO webhook (id, user_id, name, url, enabled, sealed_headers, sealed_secret, created_at, updated_at)
       VALUES ('w1', 'ada', 'n', 'x', 1, 'h', 's', 1, 2)`,
    );
    await dataSource.query(
      `INSERT INTO webhook_event (id, webhook_id, user_id, kind, enabled, created_at) VALUES ('e1', 'w1', 'ada', 'K', 1, 1)`,
    );
  });

  /** Stores the rows, each created one millisecond after the one before. */
  async function store(rows: Row[]): Promise<void> {
    await database.query('DELETE FROM webhook_trigger');
    const values = rows.map((row, at) => [
      firstIdOf(at),
      row.userId,
      row.webhookId,
      row.eventId,
      row.eventKind,
      row.notificationId,
      row.status,
      waits(row.status) ? 1_000_000 - at : 0,
    ]);
    await database.transaction((manager) =>
      database.insertMany(manager, { table: 'webhook_trigger', columns: COLUMNS, rows: values }),
    );
  }

  /** Reads all pages. */
  async function pagesOf(search: TriggerSearch, owner: string | null, filter: TriggerFilter, limit: number) {
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
  const anyRow: fc.Arbitrary<Row> = fc.record({
    userId: fc.constantFrom('ada', 'bob'),
    webhookId: fc.constantFrom('w1', 'w2'),
    eventId: fc.constantFrom('e1', 'e2', null),
    eventKind: fc.constantFrom('K', 'L'),
    notificationId: fc.constantFrom('n1', 'n2'),
    status: fc.constantFrom(...TRIGGER_STATUSES),
  });
  // The event e1 exists and belongs to the webhook w1.
  const stored = fc.array(
    anyRow.map((row) => (row.eventId === 'e1' ? { ...row, webhookId: 'w1' } : row)),
    { maxLength: 40 },
  );
  const anyFilter: fc.Arbitrary<TriggerFilter> = fc.record({
    userId: some('ada', 'bob'),
    webhookId: some('w1', 'w2'),
    eventId: some('e1', 'e2'),
    eventKind: some('K', 'L'),
    notificationId: some('n1', 'n2'),
    status: some(...TRIGGER_STATUSES),
    since: some(0, 5, 20),
    until: some(10, 25),
  });

  it('has every match exactly once, newest first, however few rows one search may read', async () => {
    const search = new TriggerSearch(database);
    await fc.assert(
      fc.asyncProperty(
        stored,
        fc.array(anyFilter, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(null, 'ada'),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 12 }),
        async (rows, filters, owner, limit, maxScanned) => {
          await store(rows);
          search.maxScanned = maxScanned;
          for (const filter of filters) {
            const { since = 0, until = rows.length, ...equal } = filter;
            const wanted = rows.flatMap((row, at) =>
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
    const plain: Row = {
      userId: 'ada',
      webhookId: 'w1',
      eventId: 'e1',
      eventKind: 'K',
      notificationId: 'n',
      status: 'SUCCEEDED',
    };
    const rare: Partial<Row>[] = [
      { status: 'FAILED' },
      { status: 'CANCELLED' },
      { status: 'PENDING' },
      { status: 'DELIVERING' },
      { eventKind: 'L' },
      { eventId: 'e9' },
    ];

    beforeAll(async () => {
      const rows = Array.from({ length: MANY }, (_, at) => ({ ...plain, notificationId: `n${at}` }));
      for (const [at, one] of rare.entries()) Object.assign(rows[at] as Row, one);
      await store(rows);
      await dataSource.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook_trigger');
    });

    it.each([
      { status: 'FAILED' },
      { status: 'CANCELLED' },
      { status: 'PENDING' },
      { status: 'DELIVERING' },
    ] as const)('has the oldest match on the first page for %j', async (filter) => {
      const found = await new TriggerSearch(database).find('ada', filter, { limit: 20, after: null });
      expect(found).toEqual({ ids: [expect.any(String)], next: null });
    });

    it.each([{ eventKind: 'L' }, { eventId: 'e9' }])(
      'reaches the oldest match for %j after some pages, as no index serves the filter',
      async (filter) => {
        const pages = await pagesOf(new TriggerSearch(database), 'ada', filter, 20);
        expect(pages.map((page) => page.length)).toEqual([0, 0, 1]);
      },
    );

    if (kind.name === 'SQLite') return;

    /** The rows that the server reads for a first page. */
    async function rowsRead(owner: string | null, filter: TriggerFilter): Promise<number> {
      await dataSource.query('FLUSH STATUS');
      await new TriggerSearch(database).find(owner, filter, { limit: 20, after: null });
      const counts = await dataSource.query<{ Value: string }[]>(`SHOW STATUS LIKE 'Handler_read%'`);
      return counts.reduce((sum, { Value }) => sum + Number(Value), 0);
    }

    it.each([...rare, { status: 'SUCCEEDED' }, { userId: 'bob' }, {}] as TriggerFilter[])(
      'reads a few thousand rows at most for %j',
      async (filter) => {
        expect(await rowsRead(filter.userId ? null : 'ada', filter)).toBeLessThan(11_000);
      },
    );

    it.each([{}, { since: 100 }, { until: MANY - 100 }, { eventKind: 'K' }])(
      'reads a few thousand rows at most for an admin where all are pending, and %j',
      async (filter) => {
        await store(
          Array.from({ length: MANY }, (_, at) => ({
            ...plain,
            notificationId: `n${at}`,
            status: 'PENDING',
          })),
        );
        expect(await rowsRead(null, { ...filter, status: 'PENDING' })).toBeLessThan(11_000);
      },
    );
  });
});
