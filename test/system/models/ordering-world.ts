import type { INestApplication } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AcceptRepository, type NewNotification } from '../../../src/engine/accept/accept.repository.js';
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
import type { AttemptResult } from '../../../src/engine/settle/attempt-result.js';
import { SettlementRepository } from '../../../src/engine/settle/settlement.repository.js';
import type { OrderingRule } from '../../../src/engine/webhook/webhook-settings.js';
import { CLOCK } from '../../../src/platform/clock.js';
import { newId } from '../../../src/platform/ids/ids.js';
import { Database } from '../../../src/store/database.js';
import { attemptResult } from '../../support/attempt-result.js';
import { ledgerOf } from '../../support/change-log.js';
import { claimDue } from '../../support/claims.js';

// biome-ignore lint/suspicious/noExplicitAny: a webhook as the API answers it
type Json = any;

interface Row {
  id: string;
  notification_id: string;
  record_id: string | Buffer;
  status: string;
  next_attempt_at: number | string;
}

/** A process that reconciles groups, and may die at any of its statements. */
class Keeper {
  private repository: OrderingRepository;
  private statementsLeft: number | null = null;

  constructor(
    private readonly app: INestApplication,
    private readonly database: Database,
  ) {
    this.repository = this.born();
  }

  async keep(diesAfter: number | null): Promise<boolean> {
    this.statementsLeft = diesAfter;
    return this.repository.processMarks().catch((error: unknown) => {
      // What takes its place remembers nothing.
      this.repository = this.born();
      throw error;
    });
  }

  private born(): OrderingRepository {
    const { app, database } = this;
    const mortal: Database = Object.assign(Object.create(database), {
      query: <T>(sql: string, parameters?: unknown[], manager?: EntityManager) => {
        if (this.statementsLeft !== null && this.statementsLeft-- <= 0) throw new Error('died');
        return database.query<T>(sql, parameters, manager);
      },
    });
    const get = <T>(token: new (...parameters: never[]) => T) => app.get(token, { strict: false });
    return new OrderingRepository(
      mortal,
      new GroupPositions(mortal),
      new Groups(mortal, ledgerOf(mortal)),
      get(QueueSignals),
      get(QueueTime),
      app.get(CLOCK, { strict: false }),
    );
  }
}

/** The groups of one webhook, and what processes do to its triggers. */
export class OrderingWorld {
  private readonly database: Database;
  private readonly keepers: Keeper[];
  private readonly intake: AcceptRepository;
  private readonly due: DueRepository;
  private readonly queue: QueueRepository;
  private readonly settlement: SettlementRepository;
  private readonly retries: RetryRepository;
  private held: LeasedTrigger[] = [];
  /** Triggers in the order in which they were claimed. */
  readonly claimed: { id: string; wasFirst: boolean }[] = [];

  constructor(
    app: INestApplication,
    private readonly webhook: Json,
    private readonly orderingRule: OrderingRule,
  ) {
    const get = <T>(token: abstract new (...parameters: never[]) => T): T =>
      app.get(token as new (...parameters: never[]) => T, { strict: false });
    this.database = get(Database);
    this.intake = get(AcceptRepository);
    this.due = get(DueRepository);
    this.queue = get(QueueRepository);
    this.settlement = get(SettlementRepository);
    this.retries = get(RetryRepository);
    this.keepers = [0, 1].map(() => new Keeper(app, this.database));
  }

  async accept(record: number): Promise<void> {
    const notification: NewNotification = {
      ...{ id: newId(), userId: this.webhook.user_id, eventKind: 'RECORD_FINISHED', triggeredAt: Date.now() },
      ...{ traceparent: null, hops: 0, body: Buffer.from('{}'), recordId: `rec_${record}` },
      ...{ aboutWebhookId: null, isTest: false },
    };
    const start = {
      leasedBy: null,
      dueAt: NEVER_DUE,
      position: positionOf(this.webhook.id, notification, this.orderingRule),
    };
    const event = this.webhook.events.find(({ kind }: Json) => kind === 'RECORD_FINISHED');
    const of = { webhookId: this.webhook.id, subscriptionId: event.id };
    await this.intake.insert(null, [notification], [newTrigger(notification, of, start)]);
  }

  async keep(which: number, diesAfter: number | null): Promise<void> {
    await this.keepers[which]?.keep(diesAfter).catch((error: Error) => {
      if (error.message !== 'died') throw error;
    });
  }

  /** Claims what is due, and notes whether each was the first of its record. */
  async claim(): Promise<void> {
    const open = await this.open();
    const some = await claimDue({ due: this.due, queue: this.queue }, 'process', Date.now() + 1, 3);
    this.held.push(...some);
    for (const { id } of some) {
      const own = open.find((row) => row.id === id);
      const first = open.find((row) => String(row.record_id) === String(own?.record_id));
      this.claimed.push({ id, wasFirst: first?.id === id });
    }
  }

  async settle(which: number, status: 'SUCCEEDED' | 'FAILED' | 'PENDING'): Promise<void> {
    const [trigger] = this.held.splice(which % (this.held.length || 1), 1);
    if (trigger) await this.settlement.settle([this.resultOf(trigger, status)]);
  }

  async requeue(which: number, status: 'PENDING' | 'CANCELLED'): Promise<void> {
    const [trigger] = this.held.splice(which % (this.held.length || 1), 1);
    if (!trigger) return;
    if (status === 'PENDING') return this.queue.release([trigger], Date.now());
    // Its event is gone.
    const unwanted = { ...trigger, subscriptionId: newId() };
    await this.queue.releaseUnwanted([unwanted], { dueAt: Date.now(), endAt: Date.now() });
  }

  async retry(which: number): Promise<void> {
    const rows = await this.rows();
    const row = rows[which % (rows.length || 1)];
    if (row) await this.retries.makeDue(null, [row.id], Date.now());
  }

  /** The triggers that may be sent, or are being sent, by record. */
  async loose(): Promise<Map<string, string[]>> {
    const loose = (await this.open()).filter(
      ({ status, next_attempt_at }) => status === 'DELIVERING' || Number(next_attempt_at) < NEVER_DUE,
    );
    const records = Map.groupBy(loose, ({ record_id }) => String(record_id));
    return new Map([...records].map(([record, rows]) => [record, rows.map(({ id }) => id)]));
  }

  /** Lets everything be delivered. @returns the rows that are left in the tables of groups. */
  async end(): Promise<unknown[]> {
    for (let round = 0; round < 500; round++) {
      while (await this.keepers[0]?.keep(null)) {}
      await this.claim();
      if (this.held.length === 0 && (await this.open()).length === 0) break;
      while (this.held.length > 0) await this.settle(0, 'SUCCEEDED');
    }
    const tables = ['webhook_group_member', 'webhook_ordering_mark', 'webhook_group_head'];
    const left = await Promise.all(
      tables.map((table) => this.database.query<unknown[]>(`SELECT * FROM ${table}`)),
    );
    // What a failed run leaves must not fail the next one.
    for (const table of tables) await this.database.query(`DELETE FROM ${table}`);
    return left.flat();
  }

  /** Those that have not ended, in the order of their positions. */
  open(): Promise<Row[]> {
    return this.rows(`AND t.status IN ('PENDING', 'DELIVERING')`);
  }

  private rows(which = ''): Promise<Row[]> {
    return this.database.query<Row[]>(
      `SELECT t.id, t.notification_id, n.record_id, t.status, t.next_attempt_at FROM webhook_trigger AS t
       JOIN webhook_notification AS n ON n.id = t.notification_id WHERE t.webhook_id = ? ${which}
       ORDER BY t.notification_id`,
      [this.webhook.id],
    );
  }

  private resultOf(trigger: LeasedTrigger, status: 'SUCCEEDED' | 'FAILED' | 'PENDING'): AttemptResult {
    const now = Date.now();
    return attemptResult(trigger, {
      ...{ userId: this.webhook.user_id, status, beginAt: now, endAt: now },
      ...{ nextAttemptAt: status === 'PENDING' ? now : null, exhausted: status === 'FAILED' },
    });
  }
}
