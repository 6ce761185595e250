import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Verdict } from '../../src/engine/queue/breaker.js';
import type { LeasedNotification, LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import { WebhookQueues } from '../../src/engine/queue/webhook-queues.js';
import { TestClock } from '../../src/module/testing/test-clock.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { leasedTrigger } from '../support/leased-trigger.js';
import { NO_LIMITS } from '../support/no-limits.js';
import { weighted } from './weighted.js';

const RUNS = 500;
const STEPS = 200;
const MIB = 1024 * 1024;
const HOUR = 3_600_000;
const WEBHOOKS = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'];
const CONCURRENCY = 4;
const PER_WEBHOOK = 2;
const MOST = { size: CONCURRENCY * 8, sending: CONCURRENCY, bytes: 64 * MIB };
/** What one user gets of each. */
const SHARE = 0.75;

const userOf = (webhookId: string) => webhookId.slice(0, 1);
const bodies = [0, 1, 1000, MIB, 8 * MIB, 20 * MIB].map((size) => Buffer.alloc(size));

const step = fc.record({
  does: weighted({ reserve: 6, cancel: 1, put: 6, take: 6, sent: 6, done: 6, drain: 1, pass: 3 }),
  /** Which of the triggers that are as far as that. */
  which: fc.nat(20),
  webhookId: fc.constantFrom(...WEBHOOKS),
  urgent: fc.boolean(),
  /** Whether what comes is, if it can be, a trigger whose last result is not stored yet, and which others took over. */
  again: fc.constantFrom(false, false, false, true),
  body: fc.constantFrom(...bodies.keys()),
  /** Triggers of a user with the same number share a body of this size. */
  shared: fc.nat(3),
  verdict: fc.constantFrom<Verdict>('up', 'down', 'down', 'busy', null),
  pauseMs: fc.constantFrom<number>(0, 0, 1000, HOUR),
  ms: fc.nat(2000),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Stage = 'reserved' | 'waiting' | 'sending' | 'settling';

/** The queues, and beside them what an observer sees of the same calls, as simply as possible. */
class QueueWorld {
  private readonly clock = new TestClock();
  private readonly queues = new WebhookQueues(
    { delivery: { concurrency: CONCURRENCY, webhookConcurrency: PER_WEBHOOK } } as Settings,
    this.clock,
    NO_LIMITS,
  );
  /** How far the triggers are that have a place. */
  private readonly stages = new Map<LeasedTrigger, Stage>();
  /** The triggers that came last, by id. */
  private readonly newest = new Map<string, LeasedTrigger>();
  private readonly notifications = new Map<string, LeasedNotification>();
  /** Webhooks with a failed attempt. */
  private readonly failed = new Set<string>();
  private made = 0;

  run(steps: Partial<Step>[]): void {
    for (const one of steps) {
      this[one.does as Step['does']](one as Step);
      this.check();
    }
  }

  private at(stage: Stage): LeasedTrigger[] {
    return [...this.stages.keys()].filter((one) => this.stages.get(one) === stage);
  }

  private one(stage: Stage, which: number): LeasedTrigger | undefined {
    const all = this.at(stage);
    return all[which % all.length];
  }

  private reserve({ webhookId, urgent, again, body, shared, which }: Step): void {
    const before = again ? this.one('settling', which) : undefined;
    const id = `t${++this.made}`;
    const trigger = before
      ? { ...before, lease: this.made }
      : leasedTrigger({ id, webhookId, urgent, notification: this.notification(webhookId, body, shared) });
    if (this.queues.reserve(trigger.webhookId, userOf(trigger.webhookId), trigger.urgent))
      this.stages.set(trigger, 'reserved');
  }

  private notification(webhookId: string, body: number, shared: number): LeasedNotification {
    const id = `${userOf(webhookId)}-${body}-${shared}`;
    const fresh = { id, traceparent: null, hops: 0, body: bodies[body] ?? null };
    const notification = this.notifications.get(id) ?? fresh;
    this.notifications.set(id, notification);
    return notification;
  }

  private cancel({ which }: Step): void {
    const trigger = this.one('reserved', which);
    if (!trigger) return;
    this.stages.delete(trigger);
    this.queues.cancel(trigger.webhookId);
  }

  private put({ which }: Step): void {
    const trigger = this.one('reserved', which);
    if (!trigger) return;
    this.stages.delete(trigger);
    if (!this.queues.put(trigger)) return;
    this.stages.set(trigger, 'waiting');
    this.newest.set(trigger.id, trigger);
  }

  private take(): void {
    const taken = this.queues.take();
    if (!taken) this.checkNobodyIsStarved();
    else {
      expect(this.stages.get(taken)).toBe('waiting');
      this.stages.set(taken, 'sending');
    }
  }

  private sent({ which, verdict, pauseMs }: Step): void {
    const sent = this.one('sending', which);
    if (!sent) return;
    this.stages.set(sent, 'settling');
    if (verdict === 'down' || verdict === 'busy') this.failed.add(sent.webhookId);
    // Only waiting triggers of the same webhook come back, without duplicates and without urgent ones.
    for (const rest of this.queues.sent(sent, verdict, verdict === 'busy' ? pauseMs : 0)) {
      expect(rest).toMatchObject({ webhookId: sent.webhookId, urgent: false });
      expect(this.stages.get(rest)).toBe('waiting');
      this.stages.delete(rest);
    }
  }

  private done({ which }: Step): void {
    const done = this.one('settling', which);
    if (!done) return;
    this.stages.delete(done);
    this.queues.done(done);
  }

  private drain({ webhookId }: Step): void {
    const gone = this.at('waiting').filter((one) => one.webhookId === webhookId);
    expect(new Set(this.queues.drain(webhookId))).toEqual(new Set(gone));
    for (const one of gone) this.stages.delete(one);
  }

  private pass({ ms }: Step): void {
    this.clock.advance(ms);
  }

  /** While slots are free, urgent triggers and those of receivers that never failed must have been taken. */
  private checkNobodyIsStarved(): void {
    const hasSlot = ({ webhookId }: LeasedTrigger) =>
      this.held().sending < MOST.sending &&
      this.held((id) => userOf(id) === userOf(webhookId)).sending < MOST.sending * SHARE &&
      this.held((id) => id === webhookId).sending < PER_WEBHOOK;
    const wanted = this.at('waiting').filter((one) => one.urgent || !this.failed.has(one.webhookId));
    expect(wanted.filter(hasSlot)).toEqual([]);
  }

  /** Nothing is lost, and no limit is exceeded. */
  private check(): void {
    const { budget } = this.queues;
    for (const [what, count] of Object.entries(this.held()))
      if (budget[what as keyof typeof MOST] !== count) throw new Error(`Not as counted: ${what} is ${count}`);
    for (const [id, trigger] of this.newest)
      if (this.queues.has(id) !== this.stages.has(trigger))
        throw new Error(`${id} is unknown, or left behind`);
    this.checkBound(1);
    for (const user of ['a', 'b', 'c']) this.checkBound(SHARE, (id) => userOf(id) === user);
    for (const webhook of WEBHOOKS)
      if (this.held((id) => id === webhook).sending > PER_WEBHOOK) throw new Error(`Too much of ${webhook}`);
  }

  private checkBound(share: number, isOf?: (webhookId: string) => boolean): void {
    for (const [what, count] of Object.entries(this.held(isOf)))
      if (count > MOST[what as keyof typeof MOST] * share) throw new Error(`Too much: ${what} is ${count}`);
  }

  /** What these webhooks hold. */
  private held(isOf = (_webhookId: string) => true): typeof MOST {
    const own = [...this.stages].filter(([{ webhookId }]) => isOf(webhookId));
    const texts = new Set(own.flatMap(([one, stage]) => (stage === 'reserved' ? [] : one.notification)));
    return {
      size: own.length,
      sending: own.filter(([, stage]) => stage === 'sending').length,
      bytes: [...texts].reduce((sum, { body }) => sum + (body?.length ?? 0), 0),
    };
  }

  /** Ends every attempt with this verdict until all triggers are sent, and then uses each webhook once more. */
  comesToRest(verdict: Verdict): void {
    const go = (...acts: Step['does'][]) =>
      this.run(acts.map((does) => ({ does, which: 0, verdict, pauseMs: 0 })));
    while (this.at('reserved').length > 0) go('cancel');
    for (let round = 0; this.stages.size > 0; round++) {
      // Nothing is being sent, so that whatever waits could be.
      expect(round).toBeLessThan(MOST.size);
      go('take', 'sent', 'done');
    }
    this.clock.advance(HOUR);
    for (const webhookId of WEBHOOKS) {
      expect(this.queues.isPartEmpty(webhookId)).toBe(true);
      this.run([{ does: 'reserve', webhookId, urgent: false, body: 1, shared: 0 }]);
      go('put', 'take');
      expect([...this.stages.values()]).toEqual(['sending']);
      this.run([{ does: 'sent', which: 0, verdict: 'up' }]);
      go('done');
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
