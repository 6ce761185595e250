import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import { TRIGGER_STATUSES, type TriggerStatus } from '../../src/store/tables/trigger/trigger.entity.js';
import { type TriggerFilter, TriggerSearch } from '../../src/trigger/trigger-search.repository.js';
import { databases } from '../support/databases.js';
import { useOneConnection } from '../support/one-connection.js';
import { expectEveryMatch, pagesOf, rowsReadFor, some } from '../support/search.js';
import { webhookRows } from '../support/webhook.js';

interface Row {
  userId: string;
  webhookId: string;
  eventId: string | null;
  eventKind: string;
  notificationId: string;
  status: TriggerStatus;
}

describe.each(databases)('a list of triggers on $name', (kind) => {
  const one = useOneConnection(kind);
  let search: TriggerSearch;

  beforeAll(async () => {
    const { database } = one;
    search = new TriggerSearch(database);
    await database.writeTogether([webhookRows([{ id: 'w1', userId: 'ada' }])]);
    await database.query(
      `INSERT INTO webhook_event (id, webhook_id, user_id, kind, enabled, created_at) VALUES ('e1', 'w1', 'ada', 'K', 1, 1)`,
    );
  });

  async function store(rows: Row[]): Promise<void> {
    const { database } = one;
    const columns = 'id user_id webhook_id event_id event_kind notification_id status next_attempt_at';
    await database.query('DELETE FROM webhook_trigger');
    const values = rows.map(({ userId, webhookId, eventId, eventKind, notificationId, status }, at) => [
      ...[firstIdOf(at), userId, webhookId, eventId, eventKind, notificationId, status],
      ['PENDING', 'DELIVERING'].includes(status) ? 1_000_000 - at : 0,
    ]);
    await database.writeTogether([{ table: 'webhook_trigger', columns: columns.split(' '), rows: values }]);
  }

  it('has every match exactly once, newest first, however few rows one search may read', async () => {
    const row: fc.Arbitrary<Row> = fc.record({
      userId: fc.constantFrom('ada', 'bob'),
      webhookId: fc.constantFrom('w1', 'w2'),
      eventId: fc.constantFrom('e1', 'e2', null),
      eventKind: fc.constantFrom('K', 'L'),
      notificationId: fc.constantFrom('n1', 'n2'),
      status: fc.constantFrom(...TRIGGER_STATUSES),
    });
    // The event e1 exists and belongs to the webhook w1.
    const possible = row.map((any) => (any.eventId === 'e1' ? { ...any, webhookId: 'w1' } : any));
    const filter: fc.Arbitrary<TriggerFilter> = fc.record({
      userId: some('ada', 'bob'),
      webhookId: some('w1', 'w2'),
      eventId: some('e1', 'e2'),
      eventKind: some('K', 'L'),
      notificationId: some('n1', 'n2'),
      status: some(...TRIGGER_STATUSES),
      since: some(0, 5, 20),
      until: some(10, 25),
    });
    const rows = fc.array(possible, { maxLength: 40 });
    await expectEveryMatch(new TriggerSearch(one.database), rows, filter, store);
  });

  describe('of many', () => {
    const MANY = 15_000;
    const ofAda = { userId: 'ada', webhookId: 'w1', eventId: 'e1', eventKind: 'K' };
    const plain = { ...ofAda, status: 'SUCCEEDED' } as const;
    const storeMany = (rowAt: (at: number) => Partial<Row>) =>
      store(Array.from({ length: MANY }, (_, at) => ({ ...plain, notificationId: `n${at}`, ...rowAt(at) })));
    // Each with one match, which is among the oldest.
    const byStatus = (['FAILED', 'CANCELLED', 'PENDING', 'DELIVERING'] as const).map((status) => ({
      status,
    }));
    const others = [{ eventKind: 'L' }, { eventId: 'e9' }];
    const rare = [...byStatus, ...others];

    beforeAll(async () => {
      await storeMany((at) => rare[at] ?? {});
      await one.database.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook_trigger');
    });

    it.each(byStatus)('has the oldest match on the first page for %j', async (filter) => {
      expect(await pagesOf(search, 'ada', filter)).toEqual([[firstIdOf(rare.indexOf(filter))]]);
    });

    it.each(others)(
      'reaches the oldest match for %j after some pages, as no index serves the filter',
      async (filter) => {
        expect(await pagesOf(search, 'ada', filter)).toEqual([[], [], [firstIdOf(rare.indexOf(filter))]]);
      },
    );

    if (kind.name === 'SQLite') return;

    it.each<TriggerFilter>([...rare, { status: 'SUCCEEDED' }, { userId: 'bob' }, {}])(
      'reads a few thousand rows at most for %j',
      async (filter) => {
        const owner = filter.userId ? null : 'ada';
        expect(await rowsReadFor(one.database, search, owner, filter)).toBeLessThan(11_000);
      },
    );

    it.each([{}, { since: 100 }, { until: MANY - 100 }, { eventKind: 'K' }])(
      'reads a few thousand rows at most for an admin where all are pending, and %j',
      async (filter) => {
        await storeMany(() => ({ status: 'PENDING' }));
        const pending: TriggerFilter = { ...filter, status: 'PENDING' };
        expect(await rowsReadFor(one.database, search, null, pending)).toBeLessThan(11_000);
      },
    );
  });
});
