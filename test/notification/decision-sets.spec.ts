import { beforeEach, describe, expect, it } from '@jest/globals';
import { DecisionSets } from '../../src/engine/accept/decision-sets.js';
import { countOf, LETTER_OF, setIdOf } from '../../src/engine/accept/skipped.js';
import { SubscriberRepository } from '../../src/engine/accept/subscribers.repository.js';
import { systemClock } from '../../src/platform/clock.js';
import { newId } from '../../src/platform/ids/ids.js';
import { databases } from '../support/databases.js';
import { newNotification } from '../support/new-notification.js';
import { useOneConnection } from '../support/one-connection.js';
import { until } from '../support/until.js';
import { webhookRows } from '../support/webhook.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 10, 1);
const MANY = 10_000;

describe.each(databases)('decision sets on $name', (kind) => {
  const one = useOneConnection(kind);
  let now: number;
  let sets: DecisionSets;

  beforeEach(async () => {
    now = START;
    sets = new DecisionSets(one.database, { ...systemClock, now: () => now });
    await one.database.query('DELETE FROM webhook_decision_set');
  });

  const skipped = () => newId() + LETTER_OF.not_subscribed;
  const named = (text: string) => new Map([[setIdOf(text), text]]);
  const stored = () =>
    one.database.query<{ id: string; stored_at: number | string }[]>(
      'SELECT id, stored_at FROM webhook_decision_set ORDER BY stored_at',
    );
  const times = async () => (await stored()).map(({ stored_at }) => Number(stored_at));
  const isMissing = (text: string) => sets.missing(named(text)) !== null;
  /** Stores what is missing, as a transaction that commits does. */
  async function use(text: string): Promise<void> {
    const missing = sets.missing(named(text));
    if (!missing) return;
    await one.database.writeTogether([missing]);
    sets.committed(missing);
  }

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

  it('do not count as stored before their transaction has committed, nor after the clock was set back', async () => {
    const text = skipped();
    expect([isMissing(text), isMissing(text)]).toEqual([true, true]);
    await use(text);
    expect(isMissing(text)).toBe(false);
    now -= 1;
    expect(isMissing(text)).toBe(true);
  });

  /** Stores a notification's set within a transaction of the application, which then ends by `end`. */
  const within = (text: string, end = async () => {}) => {
    const notification = newNotification();
    return one.database.dataSource.transaction(async (manager) => {
      const insert = sets.within(manager, notification, named(text));
      if (insert) await one.database.insertMany(manager, insert);
      await end();
      return notification.decisionSet;
    });
  };

  it("are copied for a transaction of the application's own, which nobody then has to wait for", async () => {
    const text = skipped();
    const copy = await within(text);
    expect(copy).toMatch(/^[\w-]{22}$/);
    expect(copy).not.toBe(setIdOf(text));
    await until(() => !isMissing(text));
    expect((await stored()).map(({ id }) => id).sort()).toEqual([copy, setIdOf(text)].sort());
    expect(await within(text)).toBeUndefined();
    expect(await stored()).toHaveLength(2);
  });

  it('are not stored if the transaction of the application rolls back', async () => {
    const text = skipped();
    await expect(within(text, () => Promise.reject(new Error('rolled back')))).rejects.toThrow('rolled back');
    expect(await stored()).toEqual([]);
    expect(isMissing(text)).toBe(true);
  });

  it('of very many webhooks are found whole and in order, also where the database cuts off long texts', async () => {
    const { database } = one;
    const ids = Array.from({ length: MANY }, newId);
    const webhooks = ids.map((id, at) => ({ id, userId: 'many', enabled: at % 2 === 1 }));
    const columns = ['id', 'webhook_id', 'user_id', 'kind', 'enabled', 'created_at'];
    const rows = [1, 3].map((at) => [newId(), ids[at], 'many', 'RECORD_FINISHED', 1, 1]);
    await database.writeTogether([webhookRows(webhooks), { table: 'webhook_event', columns, rows }]);
    const expectWhole = async () => {
      const asked = { userId: 'many', eventKind: 'RECORD_FINISHED' };
      const audience = (await new SubscriberRepository(database).of([asked], null))(asked);
      expect(audience.subscriptions.map(({ webhookId }) => webhookId)).toEqual([ids[1], ids[3]]);
      expect(countOf(audience.skipped)).toBe(MANY - 2);
      const expected = ids.flatMap((id, at) =>
        at === 1 || at === 3 ? [] : [id + LETTER_OF[at % 2 ? 'not_subscribed' : 'webhook_disabled']],
      );
      expect(audience.skipped).toBe(expected.join(''));
    };
    await expectWhole();
    if (kind.name === 'SQLite') return;
    await database.query('SET SESSION group_concat_max_len = 1024');
    await expectWhole();
  });
});
