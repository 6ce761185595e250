import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AttemptTime } from './attempt-time.js';
import { CapacityBudget } from './capacity-budget.js';

const SLOTS = 10;
/** A trigger in each slot, and seven that wait for it. */
const MOST = 8 * SLOTS;

/** Keeps all slots busy with attempts that each take `ms`. @returns the time when the last one has ended. */
function run(time: AttemptTime, rounds: number, ms: number, from = 0): number {
  let now = from;
  for (let round = 0; round < rounds; round++) {
    time.use(SLOTS, now);
    now += ms;
    for (let slot = 0; slot < SLOTS; slot++) time.count(now);
    time.use(0, now);
  }
  return now;
}

/** A budget in which so many triggers are at each stage. */
function budgetOf(time: AttemptTime, counts: { waiting?: number; sending?: number; settling?: number } = {}) {
  return Object.assign(new CapacityBudget(SLOTS, time), counts);
}

/** How many more triggers may come. */
function capacityAt(now: number, budget: CapacityBudget): number {
  let count = 0;
  for (; budget.admitsAt(now, false, 0); count++) budget.move(null, 'reserved');
  return count;
}

describe('CapacityBudget', () => {
  it('at first admits one for each slot, and two that wait', () => {
    expect(capacityAt(0, budgetOf(new AttemptTime()))).toBe(3 * SLOTS);
  });

  it('admits the most once each slot has been used by an attempt that a fast receiver has answered', () => {
    const time = new AttemptTime();
    expect(capacityAt(run(time, 1, 5), budgetOf(time))).toBe(MOST);
  });

  it('forgets how long attempts took before the last ones, as when a receiver opens after ten seconds', () => {
    const time = new AttemptTime();
    const opened = run(time, 1, 10_000);
    expect(capacityAt(opened, budgetOf(time))).toBe(SLOTS + 2);
    expect(capacityAt(run(time, 1, 50, opened), budgetOf(time))).toBe(MOST);
  });

  it('learns as soon from the few slots that are in use', () => {
    const time = new AttemptTime();
    time.use(2, 0);
    for (let ended = 1; ended <= 2; ended++) {
      time.count(10_000);
      time.use(2 - ended, 10_000);
    }
    expect(capacityAt(10_000, budgetOf(time))).toBe(SLOTS + 2);
    time.use(1, 10_000);
    time.count(10_005);
    time.use(0, 10_005);
    expect(capacityAt(10_005, budgetOf(time))).toBe(MOST);
  });

  it('admits no more than the slots for a receiver that takes minutes', () => {
    const time = new AttemptTime();
    expect(capacityAt(run(time, 5, 100_000), budgetOf(time))).toBe(SLOTS);
  });

  it('sees that a fast receiver has become slow before it answers, and which triggers will not start soon', () => {
    const time = new AttemptTime();
    const now = run(time, 10, 5);
    const waiting = MOST - SLOTS;
    const full = budgetOf(time, { waiting, sending: SLOTS });
    expect(full.lateAt(now)).toBe(0);
    time.use(SLOTS, now);
    expect(capacityAt(now + 10_000, budgetOf(time))).toBeLessThan(2 * SLOTS);
    expect(full.lateAt(now + 10_000)).toBeGreaterThan(waiting - SLOTS);
  });

  it('does not count triggers whose results are being stored, up to the most', () => {
    const time = new AttemptTime();
    const now = run(time, 5, 100_000);
    expect(capacityAt(now, budgetOf(time, { sending: SLOTS }))).toBe(0);
    expect(capacityAt(now, budgetOf(time, { settling: SLOTS }))).toBe(SLOTS);
    expect(capacityAt(now, budgetOf(time, { settling: MOST }))).toBe(0);
  });

  it('always admits one, never more than the most, and lets go only of what waits', () => {
    const round = fc.record({
      rounds: fc.integer({ min: 1, max: 20 }),
      ms: fc.integer({ min: 1, max: 60_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(round, { maxLength: 10 }),
        fc.nat(200),
        fc.nat(SLOTS),
        (past, waiting, sending) => {
          const time = new AttemptTime();
          const now = past.reduce((from, { rounds, ms }) => run(time, rounds, ms, from), 0);
          const capacity = capacityAt(now, budgetOf(time));
          expect(capacity).toBeGreaterThanOrEqual(SLOTS);
          expect(capacity).toBeLessThanOrEqual(MOST);
          const late = budgetOf(time, { waiting, sending }).lateAt(now);
          expect(late).toBeGreaterThanOrEqual(0);
          expect(late).toBeLessThanOrEqual(waiting);
          // What stays fits, so it is not claimed and requeued again and again.
          if (late > 0) expect(sending + waiting - late).toBeLessThanOrEqual(capacity);
        },
      ),
    );
  });

  it('counts in its parents what it counts itself, and a body once however many triggers share it', () => {
    const time = new AttemptTime();
    const all = new CapacityBudget(SLOTS, time, 100);
    const user = new CapacityBudget(SLOTS, time, 75, all);
    const webhook = new CapacityBudget(SLOTS, time, undefined, user);
    const notification = { id: 'one', traceparent: null, hops: 0, body: Buffer.alloc(60) };
    for (const _ of [1, 2]) {
      webhook.move(null, 'reserved');
      user.promise();
      user.redeem();
      expect(user.load(notification)).toBe(true);
      webhook.move('reserved', 'waiting');
    }
    expect([all.size, all.bytes, user.bytes]).toEqual([2, 60, 60]);
    expect(user.load({ ...notification, loaded: 0 })).toBe(false);
    for (const _ of [1, 2]) {
      expect(all.bytes).toBe(60);
      webhook.move('waiting', null);
      all.unload(notification);
    }
    expect([all.size, all.bytes, user.bytes]).toEqual([0, 0, 0]);
  });
});
