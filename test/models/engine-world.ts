import { setImmediate } from 'node:timers/promises';
import { Test, type TestingModule } from '@nestjs/testing';
import fc from 'fast-check';
import { Claimer } from '../../src/engine/dispatch/claimer.js';
import { Claims } from '../../src/engine/dispatch/claims.js';
import { DispatchCapacity } from '../../src/engine/dispatch/dispatch-capacity.js';
import { Dispatcher } from '../../src/engine/dispatch/dispatcher.js';
import { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { DueClaims } from '../../src/engine/dispatch/due-claims.js';
import { DueScan } from '../../src/engine/dispatch/due-scan.js';
import { DueTriggers } from '../../src/engine/dispatch/due-triggers.js';
import { UrgentClaims } from '../../src/engine/dispatch/urgent-claims.js';
import { WaitingTriggers } from '../../src/engine/dispatch/waiting-triggers.js';
import { Instance } from '../../src/engine/instance/instance.js';
import { urgentFrom } from '../../src/engine/ledger/due-time.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { QueueTime } from '../../src/engine/ledger/queue-time.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import { LimitSource, type WebhookLimits } from '../../src/engine/queue/limit-source.js';
import { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import { RateSlots } from '../../src/engine/queue/rate-slots.repository.js';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import { DeliveryEvents } from '../../src/engine/report/delivery-events.js';
import { ReceiverLimits } from '../../src/engine/send/receiver-limits.js';
import { Receivers } from '../../src/engine/send/receivers.js';
import { Sender } from '../../src/engine/send/sender.js';
import { Attempts } from '../../src/engine/settle/attempts.js';
import { HealthWatcher } from '../../src/engine/settle/health/health-watcher.js';
import { RequeueRepository } from '../../src/engine/settle/requeue.repository.js';
import { Requeuer } from '../../src/engine/settle/requeuer.js';
import { Settlement } from '../../src/engine/settle/settlement.js';
import { CLOCK } from '../../src/platform/clock.js';
import { SETTINGS } from '../../src/platform/config/settings.js';
import { Database } from '../../src/store/database.js';
import { EarlyClock } from '../support/clock.js';
import { EngineDatabase, leased, type Row } from './engine-database.js';
import { weighted } from './weighted.js';

const HOUR = 3_600_000;
const WEBHOOKS = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];

type Receiver = 'up' | 'down' | 'slow';

/** What can happen to the engine. */
export const step = fc.record({
  does: weighted({
    ...{ accept: 1, appear: 1, retry: 1, taken: 0.5, returned: 0.5, receiver: 1, away: 1 },
    ...{ limit: 2, pass: 2, set: 1 },
  }),
  webhookId: fc.constantFrom(...WEBHOOKS),
  count: fc.oneof(fc.nat(10), fc.nat(300)),
  /** How long ago what appears, or comes back from another process, was due. */
  ageMs: fc.constantFrom(0, 1, 3000, HOUR),
  which: fc.nat(),
  isHere: fc.boolean(),
  few: fc.nat(20),
  is: fc.constantFrom<Receiver>('up', 'down', 'down', 'slow'),
  isAway: fc.boolean(),
  limited: fc.constantFrom('a1', 'b1'),
  limits: fc.record({
    concurrency: fc.constantFrom(1, 20),
    ratePerSecond: fc.constantFrom(null, null, null, 0.5, 10, 1000),
  }),
  ms: fc.nat(10_000),
  setMs: fc.constantFrom(-HOUR, HOUR),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** The longest breaker pause plus the minute until the whole queue is read again. */
const STRANDED_AFTER_MS = 100_000;

/** How long the queues send by what they know, once the limits of a webhook could not be read. */
const LET_THROUGH_MS = 1000;

const userOf = (webhookId: string) => webhookId.slice(0, 1);

/** The engine of one process, on an in-memory queue shared with other processes. */
export class EngineWorld {
  private get: TestingModule['get'];
  private readonly clock = new EarlyClock();
  private readonly receivers = new Map<string, Receiver>();
  private readonly database = new EngineDatabase();
  private readonly limits = new Map<string, WebhookLimits>();
  private readonly underWay = new Map<string, number>();
  /** Until then, limits may not be known: the database is away, or was just now. By the monotonic clock. */
  private unknownUntil = 0;
  /** Webhooks that got more at once than they allow, though their limits were known. */
  readonly exceeded: string[] = [];
  private asked = 0;

  /** @param settings of deliveries: how many at once, and how many to each webhook. */
  static async begin(settings: { concurrency: number; webhookConcurrency: number }): Promise<EngineWorld> {
    const world = new EngineWorld();
    const { clock, database } = world;
    const usersOf = async (ids: string[]) => new Map(ids.map((id) => [id, userOf(id)]));
    const engine = await Test.createTestingModule({
      providers: [
        ...[Claimer, Claims, DueClaims, DueScan, DueTriggers, UrgentClaims, WaitingTriggers],
        ...[Attempts, DispatchCapacity, Dispatcher, Requeuer],
        ...[QueueSignals, QueueTime, RateSlots, WebhookQueues],
        { provide: LimitSource, useClass: ReceiverLimits },
        { provide: CLOCK, useValue: clock },
        { provide: SETTINGS, useValue: { delivery: { gentle: false, ...settings } } },
        { provide: Database, useValue: { hasOneProcess: true } },
        { provide: DueRepository, useValue: database.due },
        { provide: QueueRepository, useValue: database.queue },
        { provide: RequeueRepository, useValue: database.requeues },
        { provide: Instance, useValue: { id: 'me', mayStart: () => true } },
        { provide: Receivers, useValue: { get: (id: string) => world.limitsOf(id), usersOf } },
        { provide: Sender, useValue: { send: (trigger: LeasedTrigger) => world.send(trigger) } },
        { provide: Settlement, useValue: { settle: world.settle.bind(world) } },
        { provide: HealthWatcher, useValue: { heard: async () => {}, note: async () => {} } },
        { provide: DeliveryEvents, useValue: { attempted: () => {} } },
      ],
    }).compile();
    world.get = engine.get.bind(engine);
    world.get(Dispatcher).start();
    world.get(Claimer).start();
    return world;
  }

  get queues(): WebhookQueues {
    return this.get(WebhookQueues);
  }

  async run(steps: Step[]): Promise<void> {
    for (const one of steps) {
      await this[one.does](one);
      await this.settled();
    }
  }

  /** Keeps running with all receivers up, no new triggers and no signals. @returns the triggers never delivered. */
  async comesToRest(): Promise<Row[]> {
    this.setAway(false);
    for (const id of WEBHOOKS) this.receivers.set(id, 'up');
    let left = this.database.rows;
    for (const row of left) if (row.status === 'ELSEWHERE') row.status = 'PENDING';
    for (let idleMs = 0; idleMs < STRANDED_AFTER_MS && left.length > 0; idleMs += 500) {
      await this.passHalfASecond();
      const still = left.filter(({ status }) => status !== 'SUCCEEDED');
      if (still.length < left.length) idleMs = 0;
      left = still;
    }
    this.get(Claimer).stop();
    return left;
  }

  private accept({ webhookId, count }: Step): void {
    if (this.database.isAway) return;
    const fresh: Row[] = [];
    const waiting: Row[] = [];
    for (let i = 0; i < count; i++) {
      const isReserved = this.get(DispatchCapacity).reserve(webhookId, userOf(webhookId));
      (isReserved ? fresh : waiting).push(this.database.add(webhookId, this.get(QueueTime).now()));
    }
    for (const row of fresh) Object.assign(row, { status: 'DELIVERING', lease: 1 });
    this.get(DispatchCapacity).offer(fresh.map(leased));
    if (waiting[0]) this.get(QueueSignals).emit('due', waiting[0].dueAt);
  }

  private appear({ webhookId, count, ageMs }: Step): void {
    for (let i = 0; i < count; i++) this.database.add(webhookId, this.clock.now() - ageMs);
  }

  private retry({ which, isHere }: Step): void {
    const row = this.database.rows[which % this.database.rows.length];
    if (row?.status !== 'PENDING') return;
    Object.assign(row, { dueAt: urgentFrom(this.get(QueueTime).now()), lease: row.lease + 1 });
    if (isHere) this.get(QueueSignals).emit('urgent');
  }

  private taken({ few }: Step): void {
    for (const row of this.database.some('PENDING', few)) row.status = 'ELSEWHERE';
  }

  private returned({ few, ageMs }: Step): void {
    const back = { status: 'PENDING', dueAt: this.clock.now() - ageMs };
    for (const row of this.database.some('ELSEWHERE', few))
      Object.assign(row, { ...back, lease: row.lease + 1 });
  }

  private receiver({ webhookId, is }: Step): void {
    this.receivers.set(webhookId, is);
  }

  private away({ isAway }: Step): void {
    this.setAway(isAway);
  }

  private async set({ setMs }: Step): Promise<void> {
    this.clock.step(setMs);
    // Waits until a look has noticed the step: before that, this process cannot know other processes' timestamps.
    for (let looks = 0; looks < 3; looks++) await this.passHalfASecond();
  }

  private limit({ limited, limits: settings }: Step): void {
    this.limits.set(limited, { settings, generation: 0 });
  }

  private async pass({ ms }: Step): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) await this.passHalfASecond();
  }

  private setAway(isAway: boolean): void {
    if (this.database.isAway) this.unknownUntil = this.clock.monotonic() + LET_THROUGH_MS;
    this.database.isAway = isAway;
  }

  private async passHalfASecond(): Promise<void> {
    this.clock.advance(500);
    await this.settled();
  }

  /** Waits until all started work has gone as far as it can. */
  private async settled(): Promise<void> {
    for (let turn = 0; turn < 24; turn++) await setImmediate();
  }

  private async send(trigger: LeasedTrigger): Promise<unknown> {
    const { webhookId } = trigger;
    const receiver = this.receivers.get(webhookId) ?? 'up';
    const underWay = (this.underWay.get(webhookId) ?? 0) + 1;
    this.underWay.set(webhookId, underWay);
    const areKnown = !this.database.isAway && this.clock.monotonic() >= this.unknownUntil;
    if (areKnown && underWay > (this.limits.get(webhookId)?.settings.concurrency ?? Number.POSITIVE_INFINITY))
      this.exceeded.push(webhookId);
    if (receiver === 'slow') await new Promise<void>((resolve) => this.clock.after(15_000, resolve));
    else await setImmediate();
    this.underWay.set(webhookId, (this.underWay.get(webhookId) as number) - 1);
    const isUp = this.receivers.get(webhookId) !== 'down';
    return {
      receiver: { fault: null },
      attempt: { request: {}, exchange: { response: { status: isUp ? 200 : 503, headers: {} } } },
    };
  }

  /** Known at times, and read from the database at others. */
  private limitsOf(webhookId: string): unknown {
    const receiver = this.limits.get(webhookId) ?? null;
    if (++this.asked % 2 > 0) return receiver;
    return this.database.isAway ? Promise.reject(new Error('away')) : Promise.resolve(receiver);
  }

  private async settle(
    { id, lease }: LeasedTrigger,
    { exchange }: { exchange: { response: { status: number } } },
  ): Promise<unknown> {
    while (this.database.isAway) await new Promise<void>((resolve) => this.clock.after(500, resolve));
    const row = this.database.rows.find((one) => one.id === id) as Row;
    if (row.status !== 'DELIVERING' || row.lease !== lease) throw new Error(`The lease of ${id} was lost.`);
    const isUp = exchange.response.status === 200;
    const nextAttemptAt = isUp ? null : this.get(QueueTime).now() + 2000;
    Object.assign(row, {
      status: isUp ? 'SUCCEEDED' : 'PENDING',
      dueAt: nextAttemptAt ?? 0,
      lease: lease + 1,
    });
    return { judgement: {}, nextAttemptAt };
  }
}
