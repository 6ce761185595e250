import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Logger } from 'typeorm';
import {
  type NotificationFilter,
  NotificationSearch,
} from '../../src/notification/notification-search.repository.js';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import { databases } from '../support/databases.js';
import { useOneConnection } from '../support/one-connection.js';
import { expectEveryMatch, pagesOf, rowsReadFor, some } from '../support/search.js';

interface Row {
  userId: string;
  eventKind: string;
  recordId: string | null;
}

describe.each(databases)('a list of notifications on $name', (kind) => {
  const one = useOneConnection(kind);
  let search: NotificationSearch;

  beforeAll(() => {
    search = new NotificationSearch(one.database);
  });

  async function store(rows: Row[]): Promise<void> {
    const { database } = one;
    await database.query('DELETE FROM webhook_notification');
    const columns = ['id', 'user_id', 'event_kind', 'record_id', 'triggered_at', 'body'];
    const values = rows.map(({ userId, eventKind, recordId }, at) => [
      ...[firstIdOf(at), userId, eventKind, recordId, at, Buffer.from('{}')],
    ]);
    await database.writeTogether([{ table: 'webhook_notification', columns, rows: values }]);
  }

  it('has every match exactly once, newest first, however few rows one search may read', async () => {
    // Ids that a database which ignores case or trailing blanks would mix up.
    const records = ['r', 'r ', 'R', ' r', 'é', 'e\u0301', 'r\u0000'];
    const row = fc.record({
      userId: fc.constantFrom('ada', 'bob'),
      eventKind: fc.constantFrom('K', 'L'),
      recordId: fc.constantFrom(null, ...records),
    });
    const filter: fc.Arbitrary<NotificationFilter> = fc.record({
      userId: some('ada', 'bob'),
      eventKind: some('K', 'L'),
      recordId: some(...records),
      since: some(0, 5, 20),
      until: some(10, 25),
    });
    const rows = fc.array(row, { maxLength: 40 });
    await expectEveryMatch(new NotificationSearch(one.database), rows, filter, store);
  });

  describe('of many', () => {
    const MANY = 15_000;

    beforeAll(async () => {
      const all: Row[] = Array(MANY).fill({ userId: 'ada', eventKind: 'K', recordId: 'r' });
      all[0] = { userId: 'ada', eventKind: 'L', recordId: 's' };
      await store(all);
      await one.database.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook_notification');
    });

    it.each<[string, NotificationFilter, string[][]]>([
      ['has the only one of a record on the first page', { recordId: 's' }, [[firstIdOf(0)]]],
      ['reaches the oldest of a rare kind after some pages', { eventKind: 'L' }, [[], [], [firstIdOf(0)]]],
    ])('%s', async (_, filter, pages) => {
      expect(await pagesOf(search, 'ada', filter)).toEqual(pages);
    });

    if (kind.name === 'SQLite') {
      it('reads a span of time between one bound at each end', async () => {
        const { dataSource } = one.database;
        const { logger } = dataSource;
        const asked: string[] = [];
        const note = (sql: string) => asked.push(sql);
        dataSource.logger = { logQuery: note, logQueryError() {}, logQuerySlow() {} } as unknown as Logger;
        const filter = { since: 10, until: MANY - 10, eventKind: 'L' };
        const { next } = await search.find('ada', filter, { limit: 20, after: null });
        await search.find('ada', filter, { limit: 20, after: next });
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
      expect(await rowsReadFor(one.database, search, owner, filter)).toBeLessThan(11_000);
    });
  });
});
