import { beforeEach, describe, expect, it } from '@jest/globals';
import { leasedTrigger } from '../../../test/support/leased-trigger.js';
import { NO_LIMITS } from '../../../test/support/no-limits.js';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { WebhookQueues } from './webhook-queues.js';

const MIB = 1024 * 1024;

let clock: TestClock;
let made = 0;

const queuesOf = (concurrency: number, webhookConcurrency = concurrency) =>
  new WebhookQueues({ delivery: { concurrency, webhookConcurrency } } as Settings, clock, NO_LIMITS);

const trigger = (more: Partial<LeasedTrigger> = {}, bytes = 2): LeasedTrigger => {
  const id = `trigger-${++made}`;
  const notification = { id: `of-${id}`, traceparent: null, hops: 0, body: Buffer.alloc(bytes) };
  return leasedTrigger({ id, webhookId: 'webhook', dueAt: made, notification, ...more });
};

function add(queues: WebhookQueues, one: LeasedTrigger, userId = 'user'): boolean {
  return queues.reserve(one.webhookId, userId, one.urgent) && queues.put(one);
}

function taken(queues: WebhookQueues): LeasedTrigger {
  const one = queues.take();
  if (!one) throw new Error('Nothing to send.');
  return one;
}

function attempt(queues: WebhookQueues, verdict: 'up' | 'down' | null): LeasedTrigger[] {
  const one = taken(queues);
  const rest = queues.sent(one, verdict);
  queues.done(one);
  return rest;
}

/** Answers so many attempts at once that the most triggers may wait. */
function warmUp(queues: WebhookQueues, attempts = 1000): void {
  for (let i = 0; i < attempts; i++) {
    add(queues, trigger());
    attempt(queues, 'up');
  }
}

/** Fails five attempts, so that the receiver is paused. */
function fail(queues: WebhookQueues): LeasedTrigger[] {
  for (let i = 0; i < 5; i++) add(queues, trigger());
  const lots = Array.from({ length: 5 }, () => attempt(queues, 'down'));
  return lots.flat();
}

beforeEach(() => {
  clock = new TestClock();
});

describe('the capacity of WebhookQueues', () => {
  it('is for few large bodies, or many small ones', () => {
    const queues = queuesOf(256);
    warmUp(queues);
    let count = 0;
    for (; add(queues, trigger({}, MIB)); count++);
    // Three quarters of 64 MiB.
    expect(count).toBe(48);
    for (const one of queues.drain()) expect(one.notification.body).toHaveLength(MIB);
    expect(queues.budget.bytes).toBe(0);
    for (count = 0; add(queues, trigger({}, 1024)); count++);
    // Three quarters of all capacity.
    expect(count).toBe(256 * 8 * 0.75);
  });

  it('is kept in part for the next user, in bytes too', () => {
    const queues = queuesOf(256);
    while (add(queues, trigger({}, MIB), 'large'));
    for (let i = 0; i < 6; i++) expect(add(queues, trigger({ webhookId: 'other' }), 'small')).toBe(true);
  });

  it('is free again when a body is done that another user had a trigger of', () => {
    const queues = queuesOf(256);
    add(queues, trigger());
    for (let i = 0; i < 100; i++) {
      const { notification } = trigger({}, MIB);
      add(queues, trigger({ webhookId: 'other', notification }));
      add(queues, trigger({ webhookId: 'gone', notification }), '');
      queues.drain('other');
      queues.drain('gone');
    }
    expect(queues.budget.bytes).toBe(2);
    expect(add(queues, trigger({}, MIB))).toBe(true);
  });

  it('is free again when bodies are done, and says so if a trigger had been refused', () => {
    const queues = queuesOf(256);
    while (add(queues, trigger({}, MIB)));
    expect(queues.consumeRoomFreed()).toBe(false);
    for (let i = 0; i < 24; i++) attempt(queues, 'up');
    expect(queues.consumeRoomFreed()).toBe(true);
    expect(queues.consumeRoomFreed()).toBe(false);
  });

  it('is counted for the owner of the queue, even if the webhook is gone by then', () => {
    const queues = queuesOf(1);
    warmUp(queues);
    add(queues, trigger(), 'user');
    add(queues, trigger(), '');
    for (const verdict of ['up', 'up'] as const) attempt(queues, verdict);
    expect(queues.budget.size).toBe(0);
    let count = 0;
    for (; add(queues, trigger()); count++);
    expect(count).toBe(6);
  });
});

describe('a paused webhook in WebhookQueues', () => {
  it('lets go of waiting triggers, and takes none until its pause is over', () => {
    const queues = queuesOf(8);
    for (let i = 0; i < 3; i++) add(queues, trigger());
    const rest = fail(queues);
    expect(rest).toHaveLength(3);
    expect(queues.budget.size).toBe(0);
    expect(add(queues, trigger())).toBe(false);
    expect(queues.isPartEmpty('webhook')).toBe(false);
    expect(queues.probes.wanted()).toEqual([]);
    expect(queues.probes.nextAt()).toBe(250);
    clock.advance(250);
    expect(queues.probes.wanted()).toEqual(['webhook']);
    expect(queues.isPartEmpty('webhook')).toBe(true);
    expect(add(queues, trigger())).toBe(true);
    expect(add(queues, trigger())).toBe(false);
  });

  it('gets more triggers step by step after its probe is answered, although none waited meanwhile', () => {
    const queues = queuesOf(64, 8);
    warmUp(queues);
    fail(queues);
    clock.advance(250);
    add(queues, trigger());
    attempt(queues, 'up');
    let count = 0;
    for (; add(queues, trigger()); count++);
    expect(count).toBe(2 * 8);
    taken(queues);
    taken(queues);
    expect(queues.take()).toBeUndefined();
  });

  it('refuses a trigger that had a reservation before the pause', () => {
    const queues = queuesOf(8);
    queues.reserve('webhook', 'user');
    fail(queues);
    expect(queues.put(trigger())).toBe(false);
    expect(queues.budget.size).toBe(0);
  });

  it('sends a trigger asked for by hand at once, and recovers if that is answered', () => {
    const queues = queuesOf(8);
    fail(queues);
    const urgent = trigger({ urgent: true });
    expect(add(queues, urgent)).toBe(true);
    expect(taken(queues)).toBe(urgent);
    expect(queues.sent(urgent, 'up')).toEqual([]);
    queues.done(urgent);
    expect(add(queues, trigger())).toBe(true);
    expect(queues.take()).toBeDefined();
  });

  it('leaves other users their capacity, however much was asked for by hand at slow receivers', () => {
    const queues = queuesOf(256, 10);
    const ask = (webhookId: string) => add(queues, trigger({ webhookId, urgent: true }));
    const askedOf = (webhookId: string) =>
      Array.from({ length: 50 }, () => ask(webhookId)).filter(Boolean).length;
    expect(queues.urgentCapacity('slow 0')).toBe(20);
    expect(askedOf('slow 0')).toBe(20);
    for (let i = 0; i < 10; i++) taken(queues);
    clock.advance(15_000);
    for (let i = 1; i < 40; i++) askedOf(`slow ${i}`);
    expect(queues.budget.size).toBeGreaterThan(192);
    expect(add(queues, trigger({ webhookId: 'another' }), 'another')).toBe(true);
  });

  it('counts failures that come one at a time, and forgets them after ten minutes', () => {
    const queues = queuesOf(8);
    const failOnce = () => add(queues, trigger()) && attempt(queues, 'down');
    for (let i = 0; i < 4; i++) failOnce();
    clock.advance(600_000);
    queues.probes.wanted();
    for (let i = 0; i < 4; i++) failOnce();
    expect(add(queues, trigger())).toBe(true);
    attempt(queues, 'down');
    expect(add(queues, trigger())).toBe(false);
  });

  it('is forgotten after ten minutes', () => {
    const queues = queuesOf(8);
    fail(queues);
    clock.advance(queues.probes.nextAt() as number);
    queues.probes.wanted();
    clock.advance((queues.probes.nextAt() as number) - clock.monotonic());
    expect(clock.monotonic()).toBeGreaterThanOrEqual(600_000);
    queues.probes.wanted();
    expect(queues.probes.nextAt()).toBeNull();
  });
});
