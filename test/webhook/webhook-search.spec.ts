import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { firstIdOf } from '../../src/platform/ids/first-id.js';
import { type WebhookFilter, WebhookSearch } from '../../src/webhook/webhook-search.repository.js';
import { databases } from '../support/databases.js';
import { useOneConnection } from '../support/one-connection.js';
import { expectEveryMatch, pagesOf, rowsReadFor, some } from '../support/search.js';
import { webhookRows } from '../support/webhook.js';

interface Row {
  userId: string;
  name: string;
  enabled: boolean;
  eventKind: string | null;
}

describe.each(databases)('a list of webhooks on $name', (kind) => {
  const one = useOneConnection(kind);
  let search: WebhookSearch;

  beforeAll(() => {
    search = new WebhookSearch(one.database);
  });

  async function store(rows: Row[]): Promise<void> {
    const { database } = one;
    await database.query('DELETE FROM webhook_event');
    await database.query('DELETE FROM webhook');
    const made = rows.map((row, at) => ({ ...row, id: firstIdOf(at), createdAt: at }));
    const subscribed = made.filter(({ eventKind }) => eventKind !== null);
    const columns = ['id', 'webhook_id', 'user_id', 'kind', 'enabled', 'created_at'];
    const events = subscribed.map(({ id, userId, eventKind }) => [id, id, userId, eventKind, 1, 1]);
    await database.writeTogether([webhookRows(made)]);
    if (events.length > 0) await database.writeTogether([{ table: 'webhook_event', columns, rows: events }]);
  }

  it('has every match exactly once, newest first, however few rows one search may read', async () => {
    // Names that a database would mix up which ignores case or trailing blanks, or takes them for more than text.
    const names = ['crm', 'CRM', 'crm ', 'çrm', 'crm%', '🦄 crm', "crm' OR 1=1 --"];
    const row = fc.record({
      userId: fc.constantFrom('ada', 'bob'),
      name: fc.constantFrom(...names),
      enabled: fc.boolean(),
      eventKind: fc.constantFrom(null, 'K', 'L'),
    });
    const filter: fc.Arbitrary<WebhookFilter> = fc.record({
      userId: some('ada', 'bob'),
      name: some(...names),
      enabled: some(true, false),
      eventKind: some('K', 'L'),
    });
    const rows = fc.array(row, { minLength: 1, maxLength: 40 });
    await expectEveryMatch(new WebhookSearch(one.database), rows, filter, store);
  });

  describe('of many', () => {
    beforeAll(async () => {
      const plain = { name: 'crm', enabled: true, eventKind: null };
      const all: Row[] = Array.from({ length: 15_000 }, (_, n) => ({ ...plain, userId: `user ${n % 5000}` }));
      all[0] = { userId: 'bob', name: 'rare', enabled: false, eventKind: 'L' };
      await store(all);
      await one.database.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook, webhook_event');
    });

    it.each<WebhookFilter>([{ name: 'rare' }, { enabled: false }, { eventKind: 'L' }])(
      'reaches the oldest of an admin that %j finds after some pages',
      async (filter) => {
        expect(await pagesOf(search, null, filter)).toEqual([[], [], [firstIdOf(0)]]);
      },
    );

    it('has the only one of a user on the first page', async () => {
      expect(await pagesOf(search, null, { userId: 'bob', name: 'rare' })).toEqual([[firstIdOf(0)]]);
    });

    if (kind.name === 'SQLite') return;

    it.each<WebhookFilter>([
      {},
      { name: 'none' },
      { enabled: false },
      { eventKind: 'NONE' },
      { userId: 'bob' },
    ])('reads a few thousand rows at most for a page of %j', async (filter) => {
      expect(await rowsReadFor(one.database, search, null, filter)).toBeLessThan(16_000);
    });
  });
});
