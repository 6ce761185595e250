import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ReplayRate } from './replay-rate.js';

/** Takes whole batches until a time, each as late as the delays say. @returns when each trigger is due */
function dueTimes(perSecond: number, untilMs: number, delays: number[]): number[] {
  const replay = new ReplayRate(perSecond, 0);
  const due: number[] = [];
  let now = 0;
  for (let turn = 0; now < untilMs; turn++) {
    due.push(...replay.take(replay.batch, now).map((delay) => now + delay));
    now += replay.wait(now) + (delays[turn % Math.max(1, delays.length)] ?? 0);
  }
  return due;
}

const perSecond = fc.integer({ min: 1, max: 1000 });

describe('the rate of a recovery', () => {
  it('is kept, also by steps that are a little late', () => {
    fc.assert(
      fc.property(perSecond, fc.array(fc.nat(100)), (rate, delays) => {
        const due = dueTimes(rate, 20_000, delays);
        // What is due together, half a second of the rate at most, and one trigger, may be ahead or missing.
        const count = due.filter((at) => at < 20_000).length;
        expect(Math.abs(count - 20 * rate)).toBeLessThanOrEqual(0.6 * rate + 1);
      }),
    );
  });

  it('does not make up for a freeze', () => {
    fc.assert(
      fc.property(perSecond, fc.integer({ min: 1000, max: 1_000_000 }), (rate, freeze) => {
        const replay = new ReplayRate(rate, 0);
        replay.take(replay.batch, 0);
        let count = 0;
        for (let now = freeze; now < freeze + 2000; now += Math.max(1, replay.wait(now)))
          count += replay.take(replay.batch, now).length;
        expect(count).toBeLessThanOrEqual(2.5 * rate + 2 * replay.batch);
      }),
    );
  });

  it('makes a batch of a second at most, of which five or more are due together, or half a second of the rate', () => {
    const due = (rate: number) => {
      const replay = new ReplayRate(rate, 0);
      const delays = replay.take(replay.batch, 0);
      return [...Map.groupBy(delays, (delay) => delay)].map(([delay, together]) => [delay, together.length]);
    };
    expect(due(1)).toEqual([[0, 1]]);
    expect(due(4)).toEqual([0, 500].map((delay) => [delay, 2]));
    expect(due(10)).toEqual([0, 500].map((delay) => [delay, 5]));
    expect(due(40)).toEqual([0, 125, 250, 375, 500, 625, 750, 875].map((delay) => [delay, 5]));
    expect(due(100)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900].map((delay) => [delay, 10]));
    expect(new ReplayRate(1000, 0).batch).toBe(100);
  });

  it('makes a batch each second', () => {
    const replay = new ReplayRate(10, 0);
    replay.take(replay.batch, 0);
    expect(replay.wait(0)).toBe(1000);
  });

  it('is slow, and never nothing, where the row does not say', () => {
    for (const rate of [0, -1, Number.NaN]) {
      const replay = new ReplayRate(rate, 0);
      expect(replay.take(replay.batch, 0)).toEqual([0]);
      expect(replay.wait(0)).toBe(1000);
    }
  });
});
