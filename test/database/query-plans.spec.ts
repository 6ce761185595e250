import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource, type Logger } from 'typeorm';
import { AcceptRepository } from '../../src/engine/accept/accept.repository.js';
import { Claimer } from '../../src/engine/dispatch/claimer.js';
import { Dispatcher } from '../../src/engine/dispatch/dispatcher.js';
import { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { LeaseRecoveryRepository } from '../../src/engine/leases/lease-recovery.repository.js';
import { CancellationRepository } from '../../src/engine/ledger/cancel/cancellation.repository.js';
import { NEVER_DUE } from '../../src/engine/ledger/never-due.js';
import { OrderingRepository } from '../../src/engine/ordering/ordering.repository.js';
import { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import { RetryRepository } from '../../src/engine/replay/retry.repository.js';
import { ReplayScans } from '../../src/engine/replay/scan/replay-scans.js';
import { WebhookHealthRepository } from '../../src/engine/settle/health/webhook-health.repository.js';
import { SettlementRepository } from '../../src/engine/settle/settlement.repository.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { ErasureRepository } from '../../src/notification/erasure.repository.js';
import { newId } from '../../src/platform/ids/ids.js';
import { RetentionPass } from '../../src/retention/retention-pass.js';
import { DAY_MS, store } from '../retention/stored.js';
import { attemptResult } from '../support/attempt-result.js';
import { claimDue } from '../support/claims.js';
import { databases, type TestDatabase } from '../support/databases.js';
import { startService, type TestService } from '../support/service.js';

const STORED = 4000;
const NOW = Date.now();

interface Statement {
  sql: string;
  parameters: unknown[];
}

describe.each(databases)("the queue's statements on $name", (kind) => {
  let database: TestDatabase;
  let service: TestService;
  let dataSource: DataSource;
  let due: DueRepository;
  let queue: QueueRepository;

  beforeAll(async () => {
    database = await kind.create();
    service = await startService(database.url);
    dataSource = service.app.get(DataSource);
    due = service.get(DueRepository);
    queue = service.get(QueueRepository);
    // Only the test may claim triggers.
    service.get(Claimer).stop();
    await service.get(Dispatcher).stop();
    await service.app.get(Jobs).quiet();
    await fill();
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** Stores a few due triggers among thousands of finished ones. */
  async function fill(): Promise<void> {
    const intake = service.get(AcceptRepository);
    const notification = {
      id: newId(),
      userId: 'acme',
      eventKind: 'RECORD_FINISHED',
      triggeredAt: NOW,
      traceparent: null,
      hops: 0,
      body: Buffer.from('{}'),
      recordId: null,
      aboutWebhookId: null,
      isTest: false,
    };
    const triggers = Array.from({ length: STORED }, () => ({
      id: newId(),
      notification,
      webhookId: newId(),
      subscriptionId: null,
      position: null,
      leasedBy: null,
      dueAt: NOW,
    }));
    await intake.insert(null, [notification], triggers);
    const done = triggers.slice(100).map(({ id }) => id);
    const set = `UPDATE webhook_trigger SET status = 'SUCCEEDED', next_attempt_at = 0`;
    await dataSource.query(`${set} WHERE id IN (${done.map(() => '?').join(', ')})`, done);
    await dataSource.query(kind.name === 'SQLite' ? 'ANALYZE' : 'ANALYZE TABLE webhook_trigger');
  }

  /** The statements that `work` runs on triggers and their groups, or on others. */
  async function statementsOf(
    work: () => Promise<unknown>,
    on = /webhook_(trigger|group_(member|head))/,
  ): Promise<Statement[]> {
    const { logger } = dataSource;
    const asked: Statement[] = [];
    const note = (sql: string, parameters: unknown[] = []) => asked.push({ sql, parameters });
    dataSource.logger = { logQuery: note, logQueryError() {}, logQuerySlow() {} } as unknown as Logger;
    await work();
    dataSource.logger = logger;
    return asked.filter(({ sql }) => on.test(sql));
  }

  /** The plan's steps that scan a whole table, or a whole index of it. */
  async function scansOf({ sql, parameters }: Statement): Promise<unknown[]> {
    if (kind.name === 'SQLite') {
      const steps = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
      return steps.filter(({ detail }) =>
        /^SCAN ([thm]|webhook_trigger|TriggerEntity|WebhookEntity|webhook_group_member|webhook_group_head)\b/.test(
          detail,
        ),
      );
    }
    const steps = await dataSource.query<{ table: string; type: string; rows: string | number }[]>(
      `EXPLAIN ${sql}`,
      parameters,
    );
    // What a subquery has found is read whole.
    const stored = steps.filter(({ table }) => !/^<derived/.test(table));
    return stored.filter(({ type, rows }) => /^(ALL|index)$/.test(type) && Number(rows) > STORED / 4);
  }

  async function expectNoScan(count: number, work: () => Promise<unknown>, on?: RegExp): Promise<void> {
    const statements = await statementsOf(work, on);
    expect(statements).toHaveLength(count);
    for (const statement of statements)
      expect([statement.sql, await scansOf(statement)]).toEqual([statement.sql, []]);
  }

  it('use an index to claim, settle and release', async () => {
    const settlement = service.get(SettlementRepository);
    const failed = {
      status: 'FAILED',
      outcome: '500',
      exhausted: true,
      ...{ number: 1, beginAt: NOW, endAt: NOW, requestHead: 'h', request: '{}' },
    } as const;
    // On SQLite, claiming and settling go by primary key, in statements prepared on the connection itself.
    await expectNoScan(kind.name === 'SQLite' ? 3 : 6, async () => {
      const claimed = await claimDue({ due, queue }, 'me', NOW, 50, [newId()]);
      const [some, others] = [claimed.slice(0, 25), claimed.slice(25)];
      expect(others).toHaveLength(25);
      await settlement.settle(some.map((one) => attemptResult(one, failed)));
      await queue.release(others, NOW);
      await due.nextDueAfter(NOW);
    });
  });

  it('use an index to recover', async () => {
    const leases = service.get(LeaseRecoveryRepository);
    await claimDue({ due, queue }, 'me', NOW, 50, []);
    await expectNoScan(4, async () => {
      await leases.leasesOf('me');
      expect(await leases.recoverSome(NOW)).toBe(50);
    });
  });

  it('use an index to cancel', async () => {
    const cancellation = service.get(CancellationRepository);
    const [due] = await dataSource.query<{ webhook_id: string }[]>(
      `SELECT webhook_id FROM webhook_trigger WHERE status = 'PENDING' LIMIT 1`,
    );
    const webhookId = due?.webhook_id ?? '';
    await expectNoScan(9, async () => {
      await cancellation.cancelPending(dataSource.manager, { webhookId, eventIds: [newId()] }, NOW);
      await cancellation.cancelPending(dataSource.manager, { webhookId }, NOW);
      await cancellation.cancelLeft(webhookId, null, NOW);
    });
  });

  it('use an index to retry and to erase', async () => {
    const retries = service.get(RetryRepository);
    const erasure = service.get(ErasureRepository);
    const [row] = await dataSource.query<{ id: string; notification_id: string }[]>(
      'SELECT id, notification_id FROM webhook_trigger ORDER BY id LIMIT 1',
    );
    const id = row?.notification_id ?? '';
    await dataSource.query(`UPDATE webhook_notification SET record_id = 'rec_1'`);
    await expectNoScan(4, async () => {
      expect(await retries.makeDue(null, [row?.id ?? '', newId()], NOW)).toHaveProperty('size', 1);
    });
    await expectNoScan(4, async () => {
      expect(await erasure.next({ userId: 'acme', recordId: 'rec_1' }, '', id)).toMatchObject([{ id }]);
      expect(await erasure.erase([id], NOW)).toMatchObject({ notifications: 1, triggers: STORED });
    });
  });

  it('use an index to remove what is past its retention', async () => {
    const ages = [100, 40].flatMap((days) => Array(20).fill({ ageMs: days * DAY_MS, statuses: ['FAILED'] }));
    await store(service, ages);
    // Triggers are read and counted for either span, removed, and looked at for their notifications; on SQLite, what a
    // transaction does to them is sent to the connection itself.
    await expectNoScan(kind.name === 'SQLite' ? 3 : 6, async () => {
      const steps = service.get(RetentionPass).steps();
      while (!(await steps.next()).done);
    });
  });

  it('use an index to scan what a webhook missed', async () => {
    const scans = service.get(ReplayScans);
    const scope = {
      webhookId: newId(),
      userId: 'acme',
      events: [{ id: newId(), kind: 'K', filterHash: null }],
      endId: 'g',
    };
    await expectNoScan(7, async () => {
      await scans.of({ missed: false }).next(scope, '', 10, 500);
      await scans.of({ missed: false }).count(scope, '', 500);
    });
    await expectNoScan(2, async () => {
      await scans.of({ missed: true }).next(scope, '', 10, 500);
      await scans.of({ missed: true }).count(scope, '', 500);
    });
  });

  it('use an index to reconcile groups', async () => {
    const ordering = service.get(OrderingRepository);
    const ids = await dataSource.query<{ id: string }[]>(
      'SELECT id FROM webhook_trigger ORDER BY id LIMIT 20',
    );
    const [first, second, ...rest] = ids.map(({ id }) => id);
    expect(rest).toHaveLength(18);
    await dataSource.query(
      `INSERT INTO webhook_group_member (trigger_id, ordering_key, position) SELECT id, id, id FROM webhook_trigger WHERE id > ?`,
      [rest.at(-1)],
    );
    for (const id of rest) await enter(id, 'key', id, 'topic');
    // The first one comes late, and becomes the head in place of another.
    await enter(second ?? '', 'other', second ?? '', null);
    await dataSource.query(`INSERT INTO webhook_group_head (ordering_key, trigger_id) VALUES ('other', ?)`, [
      second,
    ]);
    await enter(first ?? '', 'other', first ?? '', null);
    await dataSource.query(
      `UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ${NEVER_DUE}, ordered = 1`,
    );
    for (const { id } of ids)
      await dataSource.query(`INSERT INTO webhook_ordering_mark (trigger_id) VALUES (?)`, [id]);
    await expectNoScan(14, async () => {
      expect(await ordering.processMarks()).toBe(false);
    });
  });

  it('use an index to find the webhooks whose disabling was not told', async () => {
    const health = service.get(WebhookHealthRepository);
    await expectNoScan(1, () => health.pendingDisabledEvents(), /disabled_event_pending/);
  });

  /** Puts a trigger into a group. */
  const enter = (id: string, key: string, position: string, topic: string | null) =>
    dataSource.query(
      'INSERT INTO webhook_group_member (trigger_id, ordering_key, position, topic) VALUES (?, ?, ?, ?)',
      [id, key, position, topic],
    );

  it('would fail these tests if they scanned', async () => {
    const sql = `SELECT id FROM webhook_trigger WHERE attempt_count = 7`;
    expect(await scansOf({ sql, parameters: [] })).toHaveLength(1);
  });
});
