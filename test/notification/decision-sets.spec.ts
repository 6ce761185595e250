import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { NewNotification } from '../../src/engine/accept/accept.repository.js';
import { DecisionSets } from '../../src/engine/accept/decision-sets.js';
import { countOf, LETTER_OF, setIdOf } from '../../src/engine/accept/skipped.js';
import { SubscriberRepository } from '../../src/engine/accept/subscribers.repository.js';
import { systemClock } from '../../src/platform/clock.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { databases } from '../support/databases.js';
import { useDatabase } from '../support/fixture.js';
import { until } from '../support/until.js';
import { webhookRows } from '../support/webhook.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 10, 1);
const MANY = 10_000;

describe.each(databases)('decision sets on $name', (kind) => {
  const testDatabase = useDatabase(kind);
  let dataSource: DataSource;
  let database: Database;
  let now: number;
  let sets: DecisionSets;
  const clock = { ...systemClock, now: () => now };

  beforeAll(async () => {
    const options = dataSourceOptions(testDatabase.url);
    // A single connection, so that a setting of the session holds for all statements.
    const one = kind.name === 'MariaDB' ? { extra: { connectionLimit: 1 } } : {};
    dataSource = await createDataSource({ ...options, ...one } as DataSourceOptions).initialize();
    testDatabase.defer(() => dataSource.destroy());
    await dataSource.runMigrations();
    database = new Database(dataSource);
  });
  beforeEach(async () => {
    now = START;
    sets = new DecisionSets(database, clock);
    await dataSource.query('DELETE FROM webhook_decision_set');
    await dataSource.query('DELETE FROM webhook_notification');
  });

  const skipped = () => newId() + LETTER_OF.not_subscribed;
  const named = (text: string) => new Map([[setIdOf(text), text]]);
  const stored = () =>
    dataSource.query<{ id: string; stored_at: number | string }[]>(
      'SELECT id, stored_at FROM webhook_decision_set ORDER BY stored_at',
    );
  const times = async () => (await stored()).map(({ stored_at }) => Number(stored_at));
  /** Stores what is missing, as a transaction that commits does. */
  async function use(text: string): Promise<void> {
    const missing = sets.missing(named(text));
    if (!missing) return;
    await database.writeTogether([missing]);
    sets.committed(missing);
  }
  const notification = (triggeredAt: number): NewNotification => ({
    id: newId(),
    userId: 'ada',
    eventKind: 'K',
    triggeredAt,
    traceparent: null,
    hops: 0,
    body: Buffer.from('{}'),
    recordId: null,
    aboutWebhookId: null,
    isTest: false,
  });

  it('are stored once, and again a day later while they are in use', async () => {
    const text = skipped();
    await use(text);
    now += DAY_MS - 1;
    await use(text);
    expect(await times()).toEqual([START]);
    now += 1;
    await use(text);
    expect(await times()).toEqual([START + DAY_MS]);
  });

  it('do not count as stored before their transaction has committed', async () => {
    const text = skipped();
    expect(sets.missing(named(text))?.rows).toHaveLength(1);
    expect(sets.missing(named(text))?.rows).toHaveLength(1);
    await use(text);
    expect(sets.missing(named(text))).toBeNull();
  });

  it('are stored again after the clock was set back', async () => {
    const text = skipped();
    await use(text);
    now -= 1;
    expect(sets.missing(named(text))).not.toBeNull();
  });

  it("are copied for a transaction of the application's own, which nobody then has to wait for", async () => {
    const text = skipped();
    const one = notification(now);
    await dataSource.transaction(async (manager) => {
      const insert = sets.within(manager, one, named(text));
      expect(insert?.rows).toHaveLength(1);
      if (insert) await database.insertMany(manager, insert);
      expect(one.decisionSet).toBe(insert?.rows[0]?.[0]);
      expect(one.decisionSet).not.toBe(setIdOf(text));
    });
    await until(() => sets.missing(named(text)) === null);
    const ids = (await stored()).map(({ id }) => id);
    expect(ids.sort()).toEqual([one.decisionSet, setIdOf(text)].sort());
    const next = notification(now);
    await dataSource.transaction(async (manager) => {
      expect(sets.within(manager, next, named(text))).toBeNull();
    });
    expect(next.decisionSet).toBeUndefined();
  });

  it('are not stored if the transaction of the application rolls back', async () => {
    const text = skipped();
    const work = dataSource.transaction(async (manager) => {
      const insert = sets.within(manager, notification(now), named(text));
      if (insert) await database.insertMany(manager, insert);
      throw new Error('rolled back');
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await stored()).toEqual([]);
    expect(sets.missing(named(text))).not.toBeNull();
  });

  describe('of a user with very many webhooks', () => {
    const ids = Array.from({ length: MANY }, newId);
    const asked = { userId: 'many', eventKind: 'RECORD_FINISHED' };
    const audience = async () => (await new SubscriberRepository(database).of([asked], null))(asked);

    beforeAll(async () => {
      await database.transaction(async (manager) => {
        const rows = ids.map((id, at) => ({ id, userId: 'many', enabled: at % 2 === 1 }));
        await database.insertMany(manager, webhookRows(rows));
        await database.insertMany(manager, {
          table: 'webhook_event',
          columns: ['id', 'webhook_id', 'user_id', 'kind', 'enabled', 'created_at'],
          rows: [1, 3].map((at) => [newId(), ids[at], 'many', 'RECORD_FINISHED', 1, 1]),
        });
      });
    });

    it('are found in one row, in order', async () => {
      const { subscriptions, skipped: all } = await audience();
      expect(subscriptions.map(({ webhookId }) => webhookId)).toEqual([ids[1], ids[3]]);
      expect(countOf(all)).toBe(MANY - 2);
      const expected = ids.flatMap((id, at) =>
        at === 1 || at === 3 ? [] : [id + (at % 2 ? LETTER_OF.not_subscribed : LETTER_OF.webhook_disabled)],
      );
      expect(all).toBe(expected.join(''));
    });

    if (kind.name === 'SQLite') return;

    it('are found whole where the database cuts off long texts', async () => {
      const whole = await audience();
      await dataSource.query('SET SESSION group_concat_max_len = 1024');
      expect(await audience()).toEqual(whole);
      await dataSource.query('SET SESSION group_concat_max_len = DEFAULT');
    });
  });
});
