import { beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { NEVER_DUE } from '../../src/engine/ledger/never-due.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { newId } from '../../src/platform/ids/ids.js';
import { Database } from '../../src/store/database.js';
import { createDataSource, dataSourceOptions } from '../../src/store/schema/data-source.js';
import { ledgerOf } from '../support/change-log.js';
import { databases } from '../support/databases.js';
import { useService } from '../support/fixture.js';
import { createWebhook } from '../support/webhook.js';

/** Triggers of each of two webhooks. */
const [FEW, MANY] = [5000, 20_000];

describe.each(databases)('many triggers that are due at the same time, on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' }, 'test');
  let plain: Database;
  let database: Database;
  let statements: { sql: string; parameters: unknown[] }[] = [];
  let rowsRead = 0;

  beforeEach(async () => {
    const dataSource = await createDataSource(dataSourceOptions(service.database.url)).initialize();
    service.database.defer(() => dataSource.destroy());
    plain = new Database(dataSource);
    database = Object.assign(Object.create(plain), {
      query: (sql: string, parameters: unknown[] = [], manager?: EntityManager) => {
        statements.push({ sql, parameters });
        return plain.query(sql, parameters, manager);
      },
      transaction: <T>(work: (manager: EntityManager) => Promise<T>) =>
        plain.transaction(async (manager) => {
          const before = await readBy(manager);
          const result = await work(manager);
          rowsRead += (await readBy(manager)) - before;
          return result;
        }),
    });
    statements = [];
  });

  /** The rows that a connection has read. SQLite does not count them. */
  async function readBy(manager: EntityManager): Promise<number> {
    if (kind.name === 'SQLite') return 0;
    const rows = await manager.query<{ Value: string }[]>(`SHOW SESSION STATUS LIKE 'Handler_read%'`);
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  }

  /** The plans of what has been asked about waiting triggers. */
  async function plans(): Promise<string[]> {
    const asked = statements.filter(({ sql }) =>
      /SELECT.*FROM webhook_trigger\s.*status = 'PENDING'/s.test(sql),
    );
    const explained = asked.map(({ sql, parameters }) =>
      plain.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters),
    );
    return (await Promise.all(explained)).map((steps) => steps.map(({ detail }) => detail).join('; '));
  }

  /** Queues triggers of some webhooks among each other, all due at the same time. */
  async function wait(webhookIds: string[], count: number, dueAt: number): Promise<void> {
    const rows = Array.from({ length: count * webhookIds.length }, (_, at) => {
      const id = newId();
      return [id, id, webhookIds[at % webhookIds.length], 'RECORD_FINISHED', 'ada', 'PENDING', dueAt];
    });
    const columns = [
      'id',
      'notification_id',
      'webhook_id',
      'event_kind',
      'user_id',
      'status',
      'next_attempt_at',
    ];
    await plain.transaction((manager) =>
      plain.insertMany(manager, { table: 'webhook_trigger', columns, rows }),
    );
  }

  /** @returns how many rows were read for each that was cancelled. */
  async function costOf(count: number): Promise<number> {
    const fields = { user_id: 'ada', url: 'http://127.0.0.1:9999' };
    const [off, on] = [await createWebhook(service, fields), await createWebhook(service, fields)];
    await wait([off.id, on.id], count, NEVER_DUE);
    await plain.query('UPDATE webhook SET enabled = 0 WHERE id = ?', [off.id]);
    const signals = new QueueSignals();
    const repository = new CancellationRepository(database, ledgerOf(database, signals), signals);
    rowsRead = 0;
    let reached: Awaited<ReturnType<CancellationRepository['cancelLeft']>> = null;
    do reached = await repository.cancelLeft(off.id, reached, Date.now());
    while (reached !== null);
    const [{ left }] = await plain.query<[{ left: number | string }]>(
      `SELECT COUNT(*) AS "left" FROM webhook_trigger WHERE webhook_id = ? AND status = 'PENDING'`.replaceAll(
        '"',
        '`',
      ),
      [off.id],
    );
    expect(Number(left)).toBe(0);
    await plain.query('DELETE FROM webhook_trigger');
    return rowsRead / count;
  }

  it('are cancelled without reading more rows for each of a longer backlog', async () => {
    const few = await costOf(FEW);
    const many = await costOf(MANY);
    if (kind.name === 'SQLite') {
      for (const plan of await plans()) expect(plan).toMatch(/\(status=\? AND \(next_attempt_at,id\)>/);
      return;
    }
    expect(few).toBeGreaterThan(1);
    expect(many).toBeLessThan(1.2 * few);
  });

  it('are found when they are due without reading those before', async () => {
    const repository = new DueRepository(database);
    await wait([newId()], MANY, 1000);
    const all = await plain.query<{ id: string }[]>('SELECT id FROM webhook_trigger ORDER BY id');
    const behind = { dueAt: 1000, id: all[MANY - 100]?.id ?? '' };
    const before = kind.name === 'SQLite' ? 0 : await totalRead();
    expect(await repository.due(Date.now(), behind, 50)).toHaveLength(50);
    if (kind.name === 'SQLite')
      expect(await plans()).toEqual([expect.stringMatching(/\(next_attempt_at,id\)>/)]);
    else expect((await totalRead()) - before).toBeLessThan(100 + 500);
  });

  /** The rows that all connections of this test's data source have read: there is one at a time. */
  async function totalRead(): Promise<number> {
    return readBy(plain.dataSource.manager);
  }
});
