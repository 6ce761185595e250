import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AcceptRepository } from '../../../src/engine/accept/accept.repository.js';
import { newTrigger } from '../../../src/engine/accept/new-trigger.js';
import { DueRepository } from '../../../src/engine/dispatch/due.repository.js';
import { NEVER_DUE } from '../../../src/engine/ledger/never-due.js';
import { QueueSignals } from '../../../src/engine/ledger/queue-signals.js';
import { QueueTime } from '../../../src/engine/ledger/queue-time.js';
import { GroupPositions } from '../../../src/engine/ordering/group-positions.repository.js';
import { Groups } from '../../../src/engine/ordering/groups.repository.js';
import { OrderingRepository } from '../../../src/engine/ordering/ordering.repository.js';
import { positionOf } from '../../../src/engine/ordering/ordering-key.js';
import type { LeasedTrigger } from '../../../src/engine/queue/leased-trigger.js';
import { QueueRepository } from '../../../src/engine/queue/queue.repository.js';
import { RetryRepository } from '../../../src/engine/replay/retry.repository.js';
import { RequeueRepository } from '../../../src/engine/settle/requeue.repository.js';
import { SettlementRepository } from '../../../src/engine/settle/settlement.repository.js';
import type { OrderingRule } from '../../../src/engine/webhook/webhook-settings.js';
import { CLOCK } from '../../../src/platform/clock.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { weighted } from '../../models/weighted.js';
import { attemptResult } from '../../support/attempt-result.js';
import { ledgerOf } from '../../support/change-log.js';
import { claimDue } from '../../support/claims.js';
import { databases } from '../../support/databases.js';
import { useService } from '../../support/fixture.js';
import { newNotification } from '../../support/new-notification.js';
import { type Json, newUser } from '../../support/scene.js';
import type { TestService } from '../../support/service.js';
import { createWebhook } from '../../support/webhook.js';
import { MortalDatabase } from './rows.js';

const RUNS = { SQLite: 40, MariaDB: 80 };

interface Row {
  id: string;
  notification_id: string;
  record_id: string | Buffer;
  status: string;
  next_attempt_at: number | string;
}

/** A process that reconciles groups, and may die at any of its statements. */
class Keeper {
  private readonly mortal: MortalDatabase;
  private repository: OrderingRepository;

  constructor(private readonly service: TestService) {
    this.mortal = new MortalDatabase(service.get(Database));
    this.repository = this.born();
  }

  async keep(diesAfter: number | null): Promise<boolean> {
    this.mortal.statementsLeft = diesAfter;
    return this.repository.processMarks().catch((error: Error) => {
      if (error.message !== 'died') throw error;
      // What takes its place remembers nothing.
      this.repository = this.born();
      return false;
    });
  }

  private born(): OrderingRepository {
    const { get, app } = this.service;
    const { database } = this.mortal;
    const groups = new Groups(database, ledgerOf(database));
    const clock = app.get(CLOCK, { strict: false });
    const positions = new GroupPositions(database);
    return new OrderingRepository(database, positions, groups, get(QueueSignals), get(QueueTime), clock);
  }
}

/** What happens, and how often beside the rest. */
const act = fc.record({
  does: weighted({ accept: 5, keep: 8, claim: 3, settle: 4, requeue: 1, retry: 1 }),
  record: fc.nat(1),
  process: fc.nat(1),
  diesAfter: fc.option(fc.nat(12), { freq: 5 }),
  which: fc.nat(20),
  ends: fc.constantFrom('SUCCEEDED' as const, 'FAILED' as const, 'PENDING' as const),
  isWanted: fc.boolean(),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** The groups of one webhook, and what processes do to its triggers. */
class OrderingWorld {
  private readonly keepers: Keeper[];
  private readonly queue: QueueRepository;
  private held: LeasedTrigger[] = [];
  /** Triggers in the order in which they were claimed. */
  readonly claimed: { id: string; wasFirst: boolean }[] = [];

  constructor(
    private readonly service: TestService,
    private readonly webhook: Json,
    private readonly orderingRule: OrderingRule,
  ) {
    this.queue = service.get(QueueRepository);
    this.keepers = [0, 1].map(() => new Keeper(service));
  }

  async accept({ record }: Act): Promise<void> {
    const { id: webhookId, user_id: userId, events } = this.webhook;
    const notification = newNotification({ userId, recordId: `rec_${record}` });
    const position = positionOf(webhookId, notification, this.orderingRule);
    const start = { leasedBy: null, dueAt: NEVER_DUE, position };
    const of = { webhookId, eventId: events[0].id };
    await this.service
      .get(AcceptRepository)
      .insert(null, [notification], [newTrigger(notification, of, start)]);
  }

  async keep({ process, diesAfter }: Act): Promise<void> {
    await this.keepers[process]?.keep(diesAfter);
  }

  /** Claims what is due, and notes whether each was the first of its record. */
  async claim(): Promise<void> {
    const open = await this.open();
    const from = { due: this.service.get(DueRepository), queue: this.queue };
    const some = await claimDue(from, 'process', Date.now() + 1, 3);
    this.held.push(...some);
    for (const { id } of some) {
      const own = open.find((row) => row.id === id);
      const first = open.find((row) => String(row.record_id) === String(own?.record_id));
      this.claimed.push({ id, wasFirst: first?.id === id });
    }
  }

  async settle({ which, ends }: Pick<Act, 'which' | 'ends'>): Promise<void> {
    const trigger = this.taken(which);
    if (!trigger) return;
    const now = Date.now();
    const result = attemptResult(trigger, {
      ...{ userId: this.webhook.user_id, status: ends, beginAt: now, endAt: now },
      ...{ nextAttemptAt: ends === 'PENDING' ? now : null, exhausted: ends === 'FAILED' },
    });
    await this.service.get(SettlementRepository).settle([result]);
  }

  async requeue({ which, isWanted }: Act): Promise<void> {
    const trigger = this.taken(which);
    if (!trigger) return;
    const requeues = this.service.get(RequeueRepository);
    if (isWanted) return requeues.requeue([{ ...trigger, dueAt: Date.now() }]);
    // Its event is gone.
    const unwanted = { ...trigger, eventId: newId() };
    await requeues.requeueUnwanted([unwanted], { dueAt: Date.now(), endAt: Date.now() });
  }

  async retry({ which }: Act): Promise<void> {
    const rows = await this.rows();
    const row = rows[which % rows.length];
    if (row) await this.service.get(RetryRepository).makeDue(null, [row.id], Date.now());
  }

  private taken(which: number): LeasedTrigger | undefined {
    return this.held.splice(which % (this.held.length || 1), 1)[0];
  }

  /** How many triggers may be sent, or are being sent, of each record that has some. */
  async loose(): Promise<number[]> {
    const loose = (await this.open()).filter(
      ({ status, next_attempt_at }) => status === 'DELIVERING' || Number(next_attempt_at) < NEVER_DUE,
    );
    return [...Map.groupBy(loose, ({ record_id }) => String(record_id)).values()].map(({ length }) => length);
  }

  /** Lets everything be delivered. @returns the rows that are left in the tables of groups. */
  async end(): Promise<unknown[]> {
    for (let round = 0; round < 500; round++) {
      while (await this.keepers[0]?.keep(null)) {}
      await this.claim();
      if (this.held.length === 0 && (await this.open()).length === 0) break;
      while (this.held.length > 0) await this.settle({ which: 0, ends: 'SUCCEEDED' });
    }
    const tables = ['webhook_group_member', 'webhook_ordering_mark', 'webhook_group_head'];
    const left = await Promise.all(tables.map((table) => this.service.query(`SELECT * FROM ${table}`)));
    // What a failed run leaves must not fail the next one.
    for (const table of tables) await this.service.query(`DELETE FROM ${table}`);
    return left.flat();
  }

  /** Those that have not ended, in the order of their positions. */
  open(): Promise<Row[]> {
    return this.rows(`AND t.status IN ('PENDING', 'DELIVERING')`);
  }

  private rows(which = ''): Promise<Row[]> {
    return this.service.query<Row>(
      `SELECT t.id, t.notification_id, n.record_id, t.status, t.next_attempt_at FROM webhook_trigger AS t
       JOIN webhook_notification AS n ON n.id = t.notification_id WHERE t.webhook_id = ? ${which}
       ORDER BY t.notification_id`,
      [this.webhook.id],
    );
  }
}

describe.each(databases)('groups on $name', (kind) => {
  const service = useService(kind, { ROLE: 'api' });

  it('send one at a time, and in the end all, whatever happens at once and whoever dies', async () => {
    await fc.assert(
      fc.asyncProperty(
        // Those of one list happen at once.
        fc.array(fc.array(act, { minLength: 1, maxLength: 3 }), {
          minLength: 10,
          maxLength: 30,
          size: 'max',
        }),
        fc.boolean(),
        async (steps, coalesce) => {
          const settings = { ordering: 'record', coalesce };
          const webhook = await createWebhook(service, {
            ...{ user_id: newUser(), events: ['RECORD_FINISHED'], settings },
          });
          const world = new OrderingWorld(service, webhook, { byRecord: true, coalesce });
          for (const acts of steps) {
            await Promise.all(acts.map((one) => world[one.does](one)));
            for (const count of await world.loose()) expect(count).toBe(1);
          }
          const before = world.claimed.length;
          expect(await world.end()).toEqual([]);
          expect(await world.open()).toEqual([]);
          for (const { wasFirst } of world.claimed.slice(before)) expect(wasFirst).toBe(true);
          await service.call('DELETE', `/v1/webhook?id=${webhook.id}`);
        },
      ),
      { numRuns: RUNS[kind.name] },
    );
  });
});
