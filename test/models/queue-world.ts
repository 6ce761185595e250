import { expect } from '@jest/globals';
import type { Verdict } from '../../src/engine/queue/breaker.js';
import type { LeasedNotification, LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { MIB, SIZES, type Step, WEBHOOKS } from './queue-steps.js';

const CONCURRENCY = 4;
const PER_WEBHOOK = 2;
const PLACES = CONCURRENCY * 8;
const PER_USER = PLACES * 0.75;
const MAX_BYTES = 64 * MIB;
const LONGEST_PAUSE_MS = 3_600_000;
const BODIES = new Map(SIZES.map((size) => [size, Buffer.alloc(size)]));

const userOf = (webhookId: string) => webhookId.slice(0, 1);

/** The state of the triggers as an observer sees it, stored as simply as possible. */
class Oracle {
  readonly reserved: { webhookId: string; urgent: boolean }[] = [];
  waiting: LeasedTrigger[] = [];
  sending: LeasedTrigger[] = [];
  settling: LeasedTrigger[] = [];

  get present(): LeasedTrigger[] {
    return [...this.waiting, ...this.sending, ...this.settling];
  }

  bytes(userId?: string): number {
    const bodies = new Map(
      this.present
        .filter((trigger) => userId === undefined || userOf(trigger.webhookId) === userId)
        .map(({ notification }) => [notification.id, notification.body?.length ?? 0]),
    );
    return [...bodies.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  places(userId: string): number {
    return [...this.reserved, ...this.present].filter((one) => userOf(one.webhookId) === userId).length;
  }
}

/** The queues and an oracle that receives the same calls. */
export class QueueWorld {
  readonly clock = new TestClock();
  readonly queues = new WebhookQueues(
    { delivery: { concurrency: CONCURRENCY, webhookConcurrency: PER_WEBHOOK } } as Settings,
    this.clock,
  );
  readonly oracle = new Oracle();
  private made = 0;
  private readonly notifications = new Map<string, LeasedNotification>();
  /** Webhooks with a failed attempt. */
  private readonly failed = new Set<string>();

  run(steps: Step[]): void {
    for (const one of steps) {
      this.step(one);
      this.check();
    }
  }

  step(one: Step): void {
    const { queues, oracle } = this;
    switch (one.do) {
      case 'reserve':
        if (queues.reserve(one.webhookId, userOf(one.webhookId), one.urgent))
          oracle.reserved.push({ webhookId: one.webhookId, urgent: one.urgent });
        break;
      case 'cancel': {
        const at = oracle.reserved.findIndex((reserved) => reserved.webhookId === one.webhookId);
        if (at < 0) break;
        oracle.reserved.splice(at, 1);
        queues.cancel(one.webhookId);
        break;
      }
      case 'put':
        this.put(one.webhookId, one.size, one.shared);
        break;
      case 'take':
        this.take();
        break;
      case 'sent': {
        const sent = oracle.sending.splice(one.which % Math.max(1, oracle.sending.length), 1)[0];
        if (!sent) break;
        oracle.settling.push(sent);
        const hasFailed = one.verdict === 'down' || one.verdict === 'busy';
        if (hasFailed) this.failed.add(sent.webhookId);
        const rest = queues.sent(sent, one.verdict, one.verdict === 'busy' ? one.pauseMs : 0);
        // Only waiting triggers of the same webhook, without duplicates and without urgent ones.
        for (const { id } of rest) {
          const at = oracle.waiting.findIndex((waiting) => waiting.id === id);
          expect(oracle.waiting[at]).toMatchObject({ webhookId: sent.webhookId, urgent: false });
          oracle.waiting.splice(at, 1);
        }
        break;
      }
      case 'done': {
        const done = oracle.settling.splice(one.which % Math.max(1, oracle.settling.length), 1)[0];
        if (done) queues.done(done);
        break;
      }
      case 'drain': {
        const drained = queues.drain(one.webhookId);
        const gone = oracle.waiting.filter((waiting) => waiting.webhookId === one.webhookId);
        expect(idsOf(drained)).toEqual(idsOf(gone));
        oracle.waiting = oracle.waiting.filter((waiting) => !gone.includes(waiting));
        break;
      }
      case 'drain all':
        expect(idsOf(queues.drain())).toEqual(idsOf(oracle.waiting));
        oracle.waiting = [];
        break;
      case 'pass':
        this.clock.advance(one.ms);
        break;
      case 'set':
        this.clock.step(one.ms);
    }
  }

  private put(to: string, size: number, shared: number): void {
    const at = this.oracle.reserved.findIndex((reserved) => reserved.webhookId === to);
    const [reserved] = at < 0 ? [] : this.oracle.reserved.splice(at, 1);
    if (!reserved) return;
    const trigger: LeasedTrigger = {
      id: `t${++this.made}`,
      webhookId: to,
      subscriptionId: null,
      eventKind: 'RECORD_FINISHED',
      dueAt: this.made,
      lease: 1,
      leasedBy: 'me',
      attemptCount: 0,
      scheduleOffset: 0,
      hasFailed: false,
      ordered: false,
      isProbe: false,
      cause: 'schedule',
      urgent: reserved.urgent,
      breakerEpoch: 0,
      notification: this.notificationOf(`${userOf(to)}-${size}-${shared}`, size),
    };
    if (this.queues.put(trigger)) this.oracle.waiting.push(trigger);
  }

  /** Triggers share it, as those that were accepted or claimed together do. */
  private notificationOf(id: string, size: number): LeasedNotification {
    const known = this.notifications.get(id);
    const notification = known ?? { id, traceparent: null, hops: 0, body: BODIES.get(size) ?? null };
    this.notifications.set(id, notification);
    return notification;
  }

  private take(): LeasedTrigger | undefined {
    const taken = this.queues.take();
    if (!taken) this.checkNobodyIsStarved();
    if (taken) {
      const at = this.oracle.waiting.indexOf(taken);
      expect(at).toBeGreaterThanOrEqual(0);
      this.oracle.waiting.splice(at, 1);
      this.oracle.sending.push(taken);
    }
    return taken;
  }

  /** While slots are free, urgent triggers and those of receivers that never failed must have been taken. */
  private checkNobodyIsStarved(): void {
    const { sending, waiting } = this.oracle;
    if (sending.length >= CONCURRENCY) return;
    const under = (of: (trigger: LeasedTrigger) => boolean) => sending.filter(of).length;
    const starved = waiting.find(
      ({ webhookId: to, urgent }) =>
        (urgent || !this.failed.has(to)) &&
        under((one) => one.webhookId === to) < PER_WEBHOOK &&
        under((one) => userOf(one.webhookId) === userOf(to)) < CONCURRENCY * 0.75,
    );
    if (starved) throw new Error(`${starved.id} waits for ${starved.webhookId}, and is not taken.`);
  }

  /** Checks that nothing is lost and no limit is exceeded. */
  private check(): void {
    const { queues, oracle } = this;
    const { present } = oracle;
    if (
      queues.budget.size !== present.length + oracle.reserved.length ||
      queues.budget.sending !== oracle.sending.length ||
      queues.budget.bytes !== oracle.bytes() ||
      queues.budget.size > PLACES ||
      queues.budget.sending > CONCURRENCY ||
      queues.budget.bytes > MAX_BYTES ||
      present.some(({ id }) => !queues.has(id))
    )
      throw new Error(
        `Not as counted: ${queues.budget.size} held, ${queues.budget.sending} sending, ${queues.budget.bytes} B`,
      );
    for (const userId of ['a', 'b', 'c']) {
      const sending = oracle.sending.filter((one) => userOf(one.webhookId) === userId).length;
      const isOver = oracle.places(userId) > PER_USER || sending > CONCURRENCY * 0.75;
      if (isOver || oracle.bytes(userId) > MAX_BYTES * 0.75) throw new Error(`Too much for user ${userId}.`);
    }
    for (const one of WEBHOOKS) {
      const sending = oracle.sending.filter((trigger) => trigger.webhookId === one).length;
      if (sending > PER_WEBHOOK) throw new Error(`Too much for ${one}.`);
    }
  }

  /** Ends every attempt with this verdict until all triggers are sent and every slot is free. */
  comesToRest(verdict: Verdict): void {
    const { queues, oracle } = this;
    for (let round = 0; oracle.present.length > 0; round++) {
      expect(round).toBeLessThan(200);
      while (this.take());
      const free = oracle.sending.length < CONCURRENCY;
      const isStuck = free && oracle.sending.length === 0 && oracle.waiting.length > 0;
      // If slots are free and nothing is being sent, every trigger that may be sent must have been taken.
      expect(isStuck).toBe(false);
      for (const _ of [...oracle.sending]) this.step({ do: 'sent', verdict, which: 0, pauseMs: 0 });
      for (const _ of [...oracle.settling]) this.step({ do: 'done', which: 0 });
      this.check();
    }
    while (oracle.reserved.length > 0)
      this.step({
        do: 'cancel',
        webhookId: (oracle.reserved[0] as { webhookId: string }).webhookId,
        urgent: false,
      });
    expect([queues.budget.size, queues.budget.sending, queues.budget.bytes]).toEqual([0, 0, 0]);
    this.clock.advance(LONGEST_PAUSE_MS);
    for (const one of WEBHOOKS) {
      expect(queues.isPartEmpty(one)).toBe(true);
      expect(queues.reserve(one, userOf(one))).toBe(true);
      oracle.reserved.push({ webhookId: one, urgent: false });
      this.step({ do: 'put', webhookId: one, size: 1, shared: 0 });
      const taken = this.take();
      expect(taken?.webhookId).toBe(one);
      this.step({ do: 'sent', verdict: 'up', which: 0, pauseMs: 0 });
      this.step({ do: 'done', which: 0 });
    }
    expect(queues.budget.size).toBe(0);
  }
}

const idsOf = (triggers: LeasedTrigger[]) => triggers.map(({ id }) => id).sort();
