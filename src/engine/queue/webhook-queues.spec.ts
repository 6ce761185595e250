import { beforeEach, describe, expect, it } from '@jest/globals';
import { TestClock } from '../../module/testing/test-clock.js';
import type { Settings } from '../../platform/config/settings.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { WebhookQueues } from './webhook-queues.js';

const MIB = 1024 * 1024;

let clock: TestClock;
let made = 0;

const queues = (concurrency: number, webhookConcurrency = concurrency) =>
  new WebhookQueues({ delivery: { concurrency, webhookConcurrency } } as Settings, clock);

const trigger = (more: Partial<LeasedTrigger> = {}, bytes = 2): LeasedTrigger => {
  const id = `trigger-${++made}`;
  const notification = { id: `of-${id}`, traceparent: null, hops: 0, body: Buffer.alloc(bytes) };
  return {
    id,
    webhookId: 'webhook',
    subscriptionId: null,
    eventKind: 'RECORD_FINISHED',
    dueAt: made,
    lease: 1,
    leasedBy: 'me',
    attemptCount: 0,
    scheduleOffset: 0,
    hasFailed: false,
    ordered: false,
    cause: 'schedule',
    ...{ isProbe: false, urgent: false, breakerEpoch: 0 },
    notification,
    ...more,
  };
};

function hold(held: WebhookQueues, one: LeasedTrigger, userId = 'user'): boolean {
  return held.reserve(one.webhookId, userId, one.urgent) && held.put(one);
}

function taken(held: WebhookQueues): LeasedTrigger {
  const one = held.take();
  if (!one) throw new Error('Nothing to send.');
  return one;
}

function attempt(held: WebhookQueues, verdict: 'up' | 'down' | null): LeasedTrigger[] {
  const one = taken(held);
  const rest = held.sent(one, verdict);
  held.done(one);
  return rest;
}

/** Answers so many attempts at once that the most triggers may wait. */
function warmUp(held: WebhookQueues, attempts = 1000): void {
  for (let i = 0; i < attempts; i++) {
    hold(held, trigger());
    attempt(held, 'up');
  }
}

/** Fails five attempts, so that the receiver is paused. */
function fail(held: WebhookQueues): LeasedTrigger[] {
  for (let i = 0; i < 5; i++) hold(held, trigger());
  const lots = Array.from({ length: 5 }, () => attempt(held, 'down'));
  return lots.flat();
}

beforeEach(() => {
  clock = new TestClock();
});

describe('a trigger that comes back while its last attempt is not stored yet', () => {
  const twice = () => {
    const held = queues(8, 1);
    const before = trigger();
    hold(held, before);
    taken(held);
    held.sent(before, 'up');
    const again = { ...before, lease: 3 };
    hold(held, again);
    expect(taken(held)).toBe(again);
    held.done(before);
    return { held, again };
  };

  it('counts as held until its second attempt is over', () => {
    const { held, again } = twice();
    expect(held.has(again.id)).toBe(true);
    held.sent(again, 'up');
    held.done(again);
    expect(held.has(again.id)).toBe(false);
    expect(held.budget.size).toBe(0);
  });

  it('frees the slot of its webhook for the next one', () => {
    const { held, again } = twice();
    const next = trigger();
    hold(held, next);
    held.sent(again, 'up');
    held.done(again);
    expect(held.take()).toBe(next);
  });
});

describe('the room of WebhookQueues', () => {
  it('holds few large bodies, or many small ones', () => {
    const held = queues(256);
    warmUp(held);
    let count = 0;
    for (; hold(held, trigger({}, MIB)); count++);
    // Three quarters of 64 MiB.
    expect(count).toBe(48);
    for (const one of held.drain()) expect(one.notification.body).toHaveLength(MIB);
    expect(held.budget.bytes).toBe(0);
    for (count = 0; hold(held, trigger({}, 1024)); count++);
    // Three quarters of all places.
    expect(count).toBe(256 * 8 * 0.75);
  });

  it('is kept in part for the next user, in bytes too', () => {
    const held = queues(256);
    while (hold(held, trigger({}, MIB), 'large'));
    for (let i = 0; i < 6; i++) expect(hold(held, trigger({ webhookId: 'other' }), 'small')).toBe(true);
  });

  it('is taken once by a body that many triggers share', () => {
    const held = queues(256);
    const { notification } = trigger({}, MIB);
    for (let i = 0; i < 200; i++)
      expect(hold(held, trigger({ webhookId: `webhook-${i}`, notification }))).toBe(true);
    expect(held.budget.bytes).toBe(MIB);
    for (let i = 0; i < 200; i++) held.drain(`webhook-${i}`);
    expect(held.budget.bytes).toBe(0);
  });

  it('is free again when a body is done that another user had a trigger of', () => {
    const held = queues(256);
    hold(held, trigger());
    for (let i = 0; i < 100; i++) {
      const { notification } = trigger({}, MIB);
      hold(held, trigger({ webhookId: 'other', notification }));
      hold(held, trigger({ webhookId: 'gone', notification }), '');
      held.drain('other');
      held.drain('gone');
    }
    expect(held.budget.bytes).toBe(2);
    expect(hold(held, trigger({}, MIB))).toBe(true);
  });

  it('is free again when bodies are done, and says so if a trigger had been refused', () => {
    const held = queues(256);
    while (hold(held, trigger({}, MIB)));
    expect(held.consumeRoomFreed()).toBe(false);
    for (let i = 0; i < 24; i++) attempt(held, 'up');
    expect(held.consumeRoomFreed()).toBe(true);
    expect(held.consumeRoomFreed()).toBe(false);
  });

  it('is not exceeded by bodies larger than expected', () => {
    const held = queues(256);
    for (let i = 0; i < 100; i++) {
      hold(held, trigger());
      attempt(held, 'up');
    }
    let reserved = 0;
    for (; reserved < 200 && held.reserve('webhook', 'user'); reserved++);
    expect(reserved).toBe(200);
    const kept = Array.from({ length: reserved }, () => held.put(trigger({}, MIB))).filter(Boolean);
    expect(kept).toHaveLength(48);
    expect(held.budget.size).toBe(48);
  });

  it('is counted for the owner of the queue, even if the webhook is gone by then', () => {
    const held = queues(1);
    warmUp(held);
    hold(held, trigger(), 'user');
    hold(held, trigger(), '');
    for (const verdict of ['up', 'up'] as const) attempt(held, verdict);
    expect(held.budget.size).toBe(0);
    let count = 0;
    for (; hold(held, trigger()); count++);
    expect(count).toBe(6);
  });
});

describe('a paused webhook in WebhookQueues', () => {
  it('gives waiting triggers back, and takes none until its pause is over', () => {
    const held = queues(8);
    for (let i = 0; i < 3; i++) hold(held, trigger());
    const rest = fail(held);
    expect(rest).toHaveLength(3);
    expect(held.budget.size).toBe(0);
    expect(hold(held, trigger())).toBe(false);
    expect(held.isPartEmpty('webhook')).toBe(false);
    expect(held.probes.wanted()).toEqual([]);
    expect(held.probes.nextAt()).toBe(250);
    clock.advance(250);
    expect(held.probes.wanted()).toEqual(['webhook']);
    expect(held.isPartEmpty('webhook')).toBe(true);
    expect(hold(held, trigger())).toBe(true);
    expect(hold(held, trigger())).toBe(false);
  });

  it('gets more triggers step by step after its probe is answered, although none were held meanwhile', () => {
    const held = queues(64, 8);
    warmUp(held);
    fail(held);
    clock.advance(250);
    hold(held, trigger());
    attempt(held, 'up');
    let count = 0;
    for (; hold(held, trigger()); count++);
    expect(count).toBe(2 * 8);
    taken(held);
    taken(held);
    expect(held.take()).toBeUndefined();
  });

  it('refuses a trigger that was promised a place before the pause', () => {
    const held = queues(8);
    held.reserve('webhook', 'user');
    fail(held);
    expect(held.put(trigger())).toBe(false);
    expect(held.budget.size).toBe(0);
  });

  it('sends a trigger asked for by hand at once, and recovers if that is answered', () => {
    const held = queues(8);
    fail(held);
    const urgent = trigger({ urgent: true });
    expect(hold(held, urgent)).toBe(true);
    expect(taken(held)).toBe(urgent);
    expect(held.sent(urgent, 'up')).toEqual([]);
    held.done(urgent);
    expect(hold(held, trigger())).toBe(true);
    expect(held.take()).toBeDefined();
  });

  it('counts failures that come one at a time, and forgets them after ten minutes', () => {
    const held = queues(8);
    const failOnce = () => hold(held, trigger()) && attempt(held, 'down');
    for (let i = 0; i < 4; i++) failOnce();
    clock.advance(600_000);
    held.probes.wanted();
    for (let i = 0; i < 4; i++) failOnce();
    expect(hold(held, trigger())).toBe(true);
    attempt(held, 'down');
    expect(hold(held, trigger())).toBe(false);
  });

  it('is forgotten after ten minutes', () => {
    const held = queues(8);
    fail(held);
    clock.advance(held.probes.nextAt() as number);
    held.probes.wanted();
    clock.advance((held.probes.nextAt() as number) - clock.monotonic());
    expect(clock.monotonic()).toBeGreaterThanOrEqual(600_000);
    held.probes.wanted();
    expect(held.probes.nextAt()).toBeNull();
  });
});
