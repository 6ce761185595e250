import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { NEVER_DUE } from '../../src/engine/ledger/never-due.js';
import type { QueueKey } from '../../src/engine/ledger/queue-order.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { rowsReadBy } from '../support/one-connection.js';
import { createWebhook } from '../support/webhook.js';
import { cancellationsOn, storeWaiting } from './waiting.js';

/** Triggers of each of two webhooks. */
const [FEW, MANY] = [5000, 20_000];

describe.each(databases)('many triggers that are due at the same time, on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' }, 'test');
  const isSqlite = kind.name === 'SQLite';
  let plain: Database;

  beforeEach(() => {
    plain = service.get(Database);
  });

  /** Queues triggers of some webhooks among each other, all due at the same time. */
  const wait = (webhookIds: string[], count: number, dueAt: number) =>
    storeWaiting(
      plain,
      Array.from({ length: count }, () => webhookIds.map((webhookId) => ({ webhookId, dueAt }))).flat(),
    );

  /**
   * What some work takes: on MariaDB the rows that its transactions read, and on SQLite, which does not count them, the plans of
   * what is asked about waiting triggers.
   */
  async function costOf(work: (database: Database) => Promise<unknown>) {
    const asked: [sql: string, parameters: unknown[]][] = [];
    let rows = 0;
    const noting: Database = Object.assign(Object.create(plain), {
      query: (sql: string, parameters: unknown[] = [], manager?: EntityManager) => {
        if (/SELECT.*FROM webhook_trigger\s.*status = 'PENDING'/s.test(sql)) asked.push([sql, parameters]);
        return plain.query(sql, parameters, manager);
      },
      transaction: <T>(run: (manager: EntityManager) => Promise<T>) =>
        plain.transaction(async (manager) => {
          if (isSqlite) return run(manager);
          const before = await rowsReadBy(manager);
          const result = await run(manager);
          rows += (await rowsReadBy(manager)) - before;
          return result;
        }),
    });
    await work(noting);
    if (!isSqlite) return { rows, plans: [] };
    const explained = asked.map(async ([sql, parameters]) => {
      const steps = await plain.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      return steps.map(({ detail }) => detail).join('; ');
    });
    return { rows, plans: await Promise.all(explained) };
  }

  /** Cancels the triggers of one of two webhooks. */
  async function cancelOf(count: number) {
    const [off, on] = [await createWebhook(service), await createWebhook(service)];
    await wait([off.id, on.id], count, NEVER_DUE);
    await service.query('UPDATE webhook SET enabled = 0 WHERE id = ?', [off.id]);
    const cost = await costOf(async (noting) => {
      const cancellations = cancellationsOn(noting);
      let reached: QueueKey | null = null;
      do reached = await cancellations.cancelLeft(off.id, reached, Date.now());
      while (reached !== null);
    });
    const left = `SELECT DISTINCT webhook_id FROM webhook_trigger WHERE status = 'PENDING'`;
    expect(await service.query(left)).toEqual([{ webhook_id: on.id }]);
    await service.query('DELETE FROM webhook_trigger');
    return cost;
  }

  it('are cancelled without reading more rows for each of a longer backlog', async () => {
    const [few, many] = [await cancelOf(FEW), await cancelOf(MANY)];
    for (const plan of [...few.plans, ...many.plans])
      expect(plan).toMatch(/\(status=\? AND \(next_attempt_at,id\)>/);
    if (isSqlite) return;
    expect(few.rows / FEW).toBeGreaterThan(1);
    expect(many.rows / MANY).toBeLessThan((1.2 * few.rows) / FEW);
  });

  it('are found when they are due without reading those before', async () => {
    const ids = (await wait([newId()], MANY, 1000)).sort();
    const behind = { dueAt: 1000, id: ids[MANY - 100] as string };
    const { rows, plans } = await costOf((noting) =>
      noting.transaction(async (manager) => {
        // What looks for due triggers opens no transaction of its own.
        const here: Database = Object.assign(Object.create(noting), {
          query: (sql: string, parameters: unknown[]) => noting.query(sql, parameters, manager),
        });
        const due = await new DueRepository(here).due(Date.now(), behind, 50);
        expect(due.map(({ id }) => id)).toEqual(ids.slice(MANY - 99, MANY - 49));
      }),
    );
    if (isSqlite) expect(plans).toEqual([expect.stringMatching(/\(next_attempt_at,id\)>/)]);
    else expect(rows).toBeLessThan(100 + 500);
  });
});
