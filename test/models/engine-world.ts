import { setImmediate } from 'node:timers/promises';
import { Claimer } from '../../src/engine/dispatch/claimer.js';
import { Claims } from '../../src/engine/dispatch/claims.js';
import { Dispatcher } from '../../src/engine/dispatch/dispatcher.js';
import type { DueRepository } from '../../src/engine/dispatch/due.repository.js';
import { DueClaims } from '../../src/engine/dispatch/due-claims.js';
import { DueScan } from '../../src/engine/dispatch/due-scan.js';
import { UrgentClaims } from '../../src/engine/dispatch/urgent-claims.js';
import type { Instance } from '../../src/engine/instance/instance.js';
import { urgentFrom } from '../../src/engine/ledger/due-time.js';
import { QueueSignals } from '../../src/engine/ledger/queue-signals.js';
import { QueueTime } from '../../src/engine/ledger/queue-time.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import type { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import type { WebhookLimits } from '../../src/engine/queue/queue-limits.js';
import { RateSlots } from '../../src/engine/queue/rate-slots.repository.js';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import type { DeliveryEvents } from '../../src/engine/report/delivery-events.js';
import type { Receivers } from '../../src/engine/send/receivers.js';
import type { Sender } from '../../src/engine/send/sender.js';
import { FinishedAttempts } from '../../src/engine/settle/finished-attempts.js';
import type { ReceiverPauses } from '../../src/engine/settle/health/receiver-pauses.js';
import type { WebhookHealth } from '../../src/engine/settle/health/webhook-health.js';
import { Requeue } from '../../src/engine/settle/requeue.js';
import type { Settlement } from '../../src/engine/settle/settlement.js';
import type { Settings } from '../../src/platform/config/settings.js';
import type { Database } from '../../src/store/database.js';
import { EarlyClock } from '../support/clock.js';
import { EngineDatabase, leased, type Row } from './engine-database.js';
import { type Receiver, type Step, WEBHOOKS } from './engine-steps.js';

/** The longest breaker pause plus the minute until the whole queue is read again. */
const STRANDED_AFTER_MS = 100_000;

/** How long the queues send by what they know, once the limits of a webhook could not be read. */
const LET_THROUGH_MS = 1000;

const userOf = (webhookId: string) => webhookId.slice(0, 1);

/** The engine of one process, on an in-memory queue shared with other processes. */
export class EngineWorld {
  readonly queues: WebhookQueues;
  private readonly clock = new EarlyClock();
  private readonly time = new QueueTime(this.clock);
  private readonly signals = new QueueSignals();
  private readonly receivers = new Map<string, Receiver>();
  private readonly finished: FinishedAttempts;
  private readonly dispatcher: Dispatcher;
  private readonly claimer: Claimer;
  private readonly requeues: Requeue;
  private readonly database = new EngineDatabase();
  private readonly limits = new Map<string, WebhookLimits>();
  private readonly underWay = new Map<string, number>();
  /** Until then, limits may not be known: the database is away, or was just now. By the monotonic clock. */
  private unknownUntil = 0;
  /** Webhooks that got more at once than they allow, though their limits were known. */
  readonly exceeded: string[] = [];
  private asked = 0;

  constructor(concurrency: number, webhookConcurrency: number) {
    const settings = { delivery: { gentle: false, concurrency, webhookConcurrency } } as Settings;
    const { clock, time, signals } = this;
    const scan = new DueScan();
    const due = this.database.due as DueRepository;
    const queue = this.database.queue as QueueRepository;
    const receivers = {
      get: (id: string) => this.limitsOf(id),
      usersOf: async (ids: string[]) => new Map(ids.map((id) => [id, userOf(id)])),
    } as unknown as Receivers;
    const returns = new Requeue(queue, time, clock);
    const instance = { id: 'me', mayStart: () => true } as Instance;
    const pauses = { began: () => {} } as unknown as ReceiverPauses;
    this.requeues = returns;
    this.queues = new WebhookQueues(settings, clock);
    this.finished = new FinishedAttempts(
      {
        settle: (trigger: LeasedTrigger, attempt: never) => this.settle(trigger, attempt),
      } as unknown as Settlement,
      returns,
      { heard: async () => {}, note: async () => {} } as unknown as WebhookHealth,
      { attempted: () => {} } as unknown as DeliveryEvents,
      signals,
      clock,
    );
    this.dispatcher = new Dispatcher(
      this.queues,
      scan,
      receivers,
      { send: (trigger: LeasedTrigger) => this.send(trigger) } as unknown as Sender,
      this.finished,
      returns,
      signals,
      new RateSlots({ hasOneProcess: true } as Database, clock),
      pauses,
      instance,
      clock,
      settings,
    );
    const claims = new Claims(queue, instance, this.dispatcher);
    this.claimer = new Claimer(
      due,
      this.queues,
      scan,
      new DueClaims(due, this.queues, scan, receivers, claims, time, clock, settings),
      new UrgentClaims(due, this.queues, receivers, claims),
      this.dispatcher,
      signals,
      time,
      clock,
    );
    this.silenceLogs();
    this.dispatcher.start();
    this.claimer.start();
  }

  get rows(): Row[] {
    return this.database.rows;
  }

  async run(steps: Step[]): Promise<void> {
    for (const one of steps) await this.step(one);
  }

  /** Keeps running with all receivers up, no new triggers and no signals. @returns the triggers never delivered. */
  async comesToRest(): Promise<Row[]> {
    this.setAway(false);
    for (const id of WEBHOOKS) this.receivers.set(id, 'up');
    for (const row of this.database.rows) if (row.status === 'ELSEWHERE') row.status = 'PENDING';
    let left = this.database.rows;
    for (let idleMs = 0; idleMs < STRANDED_AFTER_MS && left.length > 0; idleMs += 500) {
      await this.pass(500);
      const still = left.filter(({ status }) => status !== 'SUCCEEDED');
      if (still.length < left.length) idleMs = 0;
      left = still;
    }
    this.claimer.stop();
    return left;
  }

  private async step(one: Step): Promise<void> {
    switch (one.do) {
      case 'accept':
        this.accept(one.webhookId, one.count);
        break;
      case 'appear':
        for (let i = 0; i < one.count; i++) this.database.add(one.webhookId, this.clock.now() - one.ageMs);
        break;
      case 'retry': {
        const row = this.database.rows[one.which % Math.max(1, this.database.rows.length)];
        if (row?.status !== 'PENDING') break;
        Object.assign(row, { dueAt: urgentFrom(this.time.now()), lease: row.lease + 1 });
        if (one.isHere) this.signals.emit('urgent');
        break;
      }
      case 'taken':
        for (const row of this.database.some('PENDING', one.count)) row.status = 'ELSEWHERE';
        break;
      case 'returned':
        for (const row of this.database.some('ELSEWHERE', one.count))
          Object.assign(row, {
            status: 'PENDING',
            dueAt: this.clock.now() - one.ageMs,
            lease: row.lease + 1,
          });
        break;
      case 'receiver':
        this.receivers.set(one.webhookId, one.is);
        break;
      case 'database':
        this.setAway(one.isAway);
        break;
      case 'set':
        this.clock.step(one.ms);
        // Waits until a look has noticed the step: before that, this process cannot know other processes' timestamps.
        for (let looks = 0; looks < 3; looks++) await this.pass(500);
        break;
      case 'limit': {
        const { webhookId, concurrency, ratePerSecond } = one;
        this.limits.set(webhookId, { settings: { concurrency, ratePerSecond }, generation: 0 });
        break;
      }
      case 'pass':
        for (let passed = 0; passed < one.ms; passed += 500) await this.pass(500);
    }
    await this.settled();
  }

  private setAway(isAway: boolean): void {
    if (this.database.isAway) this.unknownUntil = this.clock.monotonic() + LET_THROUGH_MS;
    this.database.isAway = isAway;
  }

  private async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settled();
  }

  /** Waits until all started work has gone as far as it can. */
  private async settled(): Promise<void> {
    for (let turn = 0; turn < 24; turn++) await setImmediate();
  }

  private accept(to: string, number: number): void {
    if (this.database.isAway) return;
    const fresh: Row[] = [];
    const waiting: Row[] = [];
    for (let i = 0; i < number; i++) {
      const isReserved = this.dispatcher.reserve(to, userOf(to));
      (isReserved ? fresh : waiting).push(this.database.add(to, this.time.now()));
    }
    for (const row of fresh) Object.assign(row, { status: 'DELIVERING', lease: 1 });
    this.dispatcher.offer(fresh.map(leased));
    if (waiting[0]) this.signals.emit('due', waiting[0].dueAt);
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
    const nextAttemptAt = isUp ? null : this.time.now() + 2000;
    Object.assign(row, {
      status: isUp ? 'SUCCEEDED' : 'PENDING',
      dueAt: nextAttemptAt ?? 0,
      lease: lease + 1,
    });
    return { judgement: {}, nextAttemptAt };
  }

  private silenceLogs(): void {
    for (const part of [this.finished, this.claimer, this.requeues])
      (part as unknown as { logger: { localInstance: unknown } }).logger = { error() {} } as never;
  }
}
