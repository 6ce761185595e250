import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../src/engine/queue/breaker.js';
import type { LeasedNotification, LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { leasedTrigger } from '../support/leased-trigger.js';
import { weighted } from './weighted.js';

const RUNS = 500;
const STEPS = 200;
const MIB = 1024 * 1024;
const HOUR = 3_600_000;
const WEBHOOKS = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
const CONCURRENCY = 4;
const PER_WEBHOOK = 2;
const PLACES = CONCURRENCY * 8;
const MAX_BYTES = 64 * MIB;
/** What one user gets of each. */
const SHARE = 0.75;

const userOf = (webhookId: string) => webhookId.slice(0, 1);
const bodies = [0, 1, 1000, MIB, 8 * MIB, 20 * MIB].map((size) => Buffer.alloc(size));

const step = fc.record({
  does: weighted({ reserve: 6, cancel: 1, put: 6, take: 6, sent: 6, done: 6, drain: 1, pass: 3, set: 1 }),
  webhookId: fc.constantFrom(...WEBHOOKS),
  urgent: fc.boolean(),
  body: fc.constantFrom(...bodies.keys()),
  /** Triggers of a user with the same number share a body of this size. */
  shared: fc.nat(3),
  verdict: fc.constantFrom<Verdict>('up', 'down', 'down', 'busy', null),
  pauseMs: fc.constantFrom<number>(0, 0, 1000, HOUR),
  which: fc.nat(20),
  ms: fc.nat(2000),
  setMs: fc.constantFrom(-HOUR, HOUR),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type State = 'waiting' | 'sending' | 'settling';

/** The queues, and beside them what an observer sees of the same calls, as simply as possible. */
class QueueWorld {
  private readonly clock = new TestClock();
  private readonly queues = new WebhookQueues(
    { delivery: { concurrency: CONCURRENCY, webhookConcurrency: PER_WEBHOOK } } as Settings,
    this.clock,
  );
  private readonly reserved: Pick<LeasedTrigger, 'webhookId' | 'urgent'>[] = [];
  private readonly present = new Map<LeasedTrigger, State>();
  private made = 0;
  private readonly notifications = new Map<string, LeasedNotification>();
  /** Webhooks with a failed attempt. */
  private readonly failed = new Set<string>();

  run(steps: Partial<Step>[]): void {
    for (const one of steps) {
      this[one.does as Step['does']](one as Step);
      this.check();
    }
  }

  private all(state?: State): LeasedTrigger[] {
    return [...this.present.keys()].filter((one) => state === undefined || this.present.get(one) === state);
  }

  private reserve({ webhookId, urgent }: Step): void {
    if (this.queues.reserve(webhookId, userOf(webhookId), urgent)) this.reserved.push({ webhookId, urgent });
  }

  private reservedFor(webhookId: string) {
    const at = this.reserved.findIndex((one) => one.webhookId === webhookId);
    return at < 0 ? undefined : this.reserved.splice(at, 1)[0];
  }

  private cancel({ webhookId }: Step): void {
    if (this.reservedFor(webhookId)) this.queues.cancel(webhookId);
  }

  private put({ webhookId, body, shared }: Step): void {
    const reserved = this.reservedFor(webhookId);
    if (!reserved) return;
    const id = `${userOf(webhookId)}-${body}-${shared}`;
    const fresh = { id, traceparent: null, hops: 0, body: bodies[body] ?? null };
    const notification = this.notifications.get(id) ?? fresh;
    this.notifications.set(id, notification);
    const trigger = leasedTrigger({ id: `t${++this.made}`, ...reserved, dueAt: this.made, notification });
    if (this.queues.put(trigger)) this.present.set(trigger, 'waiting');
  }

  private take(): LeasedTrigger | undefined {
    const taken = this.queues.take();
    if (!taken) this.checkNobodyIsStarved();
    else {
      expect(this.present.get(taken)).toBe('waiting');
      this.present.set(taken, 'sending');
    }
    return taken;
  }

  private sent({ which, verdict, pauseMs }: Step): void {
    const sending = this.all('sending');
    const sent = sending[which % sending.length];
    if (!sent) return;
    this.present.set(sent, 'settling');
    if (verdict === 'down' || verdict === 'busy') this.failed.add(sent.webhookId);
    // Only waiting triggers of the same webhook come back, without duplicates and without urgent ones.
    for (const rest of this.queues.sent(sent, verdict, verdict === 'busy' ? pauseMs : 0)) {
      expect(rest).toMatchObject({ webhookId: sent.webhookId, urgent: false });
      expect(this.present.get(rest)).toBe('waiting');
      this.present.delete(rest);
    }
  }

  private done({ which }: Step): void {
    const settling = this.all('settling');
    const done = settling[which % settling.length];
    if (!done) return;
    this.present.delete(done);
    this.queues.done(done);
  }

  private drain({ webhookId }: Step): void {
    const gone = this.all('waiting').filter((one) => one.webhookId === webhookId);
    expect(new Set(this.queues.drain(webhookId))).toEqual(new Set(gone));
    for (const one of gone) this.present.delete(one);
  }

  private pass({ ms }: Step): void {
    this.clock.advance(ms);
  }

  private set({ setMs }: Step): void {
    this.clock.step(setMs);
  }

  /** While slots are free, urgent triggers and those of receivers that never failed must have been taken. */
  private checkNobodyIsStarved(): void {
    const sending = this.all('sending');
    if (sending.length >= CONCURRENCY) return;
    const of = (user: string) => sending.filter((one) => userOf(one.webhookId) === user).length;
    const starved = this.all('waiting').filter(
      ({ webhookId, urgent }) =>
        (urgent || !this.failed.has(webhookId)) &&
        sending.filter((one) => one.webhookId === webhookId).length < PER_WEBHOOK &&
        of(userOf(webhookId)) < CONCURRENCY * SHARE,
    );
    expect(starved).toEqual([]);
  }

  /** Nothing is lost, and no limit is exceeded. */
  private check(): void {
    const { size, sending, bytes } = this.queues.budget;
    const all = this.counted(() => true);
    const isCounted = size === all.size && sending === all.sending && bytes === all.bytes;
    if (!isCounted || !this.all().every(({ id }) => this.queues.has(id)))
      throw new Error(`Not as counted: ${size} held, ${sending} sending, ${bytes} B`);
    const isOver = (of: typeof all, share: number) =>
      of.size > PLACES * share || of.sending > CONCURRENCY * share || of.bytes > MAX_BYTES * share;
    if (isOver(all, 1)) throw new Error('Too much.');
    for (const user of ['a', 'b', 'c'])
      if (
        isOver(
          this.counted((id) => userOf(id) === user),
          SHARE,
        )
      )
        throw new Error(`Too much of ${user}.`);
    for (const webhook of WEBHOOKS)
      if (this.counted((id) => id === webhook).sending > PER_WEBHOOK)
        throw new Error(`Too much of ${webhook}.`);
  }

  /** What these webhooks hold. */
  private counted(isOf: (webhookId: string) => boolean) {
    const held = this.all().filter(({ webhookId }) => isOf(webhookId));
    const size = held.length + this.reserved.filter(({ webhookId }) => isOf(webhookId)).length;
    const sending = held.filter((one) => this.present.get(one) === 'sending').length;
    const texts = new Set(held.map(({ notification }) => notification));
    return { size, sending, bytes: [...texts].reduce((sum, { body }) => sum + (body?.length ?? 0), 0) };
  }

  /** Ends every attempt with this verdict until all triggers are sent, and then uses each webhook once more. */
  comesToRest(verdict: Verdict): void {
    for (let round = 0; this.present.size > 0; round++) {
      expect(round).toBeLessThan(200);
      while (this.take());
      // Nothing is being sent, so that whatever waits could be.
      if (this.all('sending').length === 0) expect(this.all('waiting')).toEqual([]);
      const ended = { verdict, which: 0, pauseMs: 0 };
      for (const _ of this.all('sending')) this.run([{ does: 'sent', ...ended }]);
      for (const _ of this.all('settling')) this.run([{ does: 'done', ...ended }]);
    }
    for (const { webhookId } of [...this.reserved]) this.run([{ does: 'cancel', webhookId }]);
    expect(this.counted(() => true)).toEqual({ size: 0, sending: 0, bytes: 0 });
    this.clock.advance(HOUR);
    for (const webhookId of WEBHOOKS) {
      expect(this.queues.isPartEmpty(webhookId)).toBe(true);
      this.run([
        { does: 'reserve', webhookId, urgent: false },
        { does: 'put', webhookId, body: 1, shared: 0 },
      ]);
      expect(this.take()?.webhookId).toBe(webhookId);
      this.run([
        { does: 'sent', verdict: 'up', which: 0, pauseMs: 0 },
        { does: 'done', which: 0 },
      ]);
      expect(this.present.size).toBe(0);
    }
  }
}

describe('the queues of webhooks', () => {
  it('lose no slot, byte or trigger and become idle again, whatever is asked of them', () => {
    fc.assert(
      fc.property(
        fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }),
        fc.constantFrom<Verdict>('up', 'down', null),
        (steps, verdict) => {
          const world = new QueueWorld();
          world.run(steps);
          world.comesToRest(verdict);
        },
      ),
      { numRuns: RUNS, endOnFailure: true },
    );
  });
});
