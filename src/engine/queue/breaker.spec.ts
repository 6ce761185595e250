import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Breaker, type Verdict } from './breaker.js';

/** Makes attempts one after the other. */
function attempts(breaker: Breaker, verdicts: Verdict[], now: number): void {
  for (const verdict of verdicts) breaker.end(breaker.begin(), verdict, now);
}

const down = (times: number): Verdict[] => Array(times).fill('down');

/** A breaker that has just opened for the first time, at 0. */
function opened(most = 8): Breaker {
  const breaker = new Breaker(most);
  attempts(breaker, down(5), 0);
  return breaker;
}

describe('Breaker', () => {
  it('allows everything until a receiver has failed five times in a row', () => {
    const breaker = new Breaker(8);
    attempts(breaker, [...down(4), 'up', ...down(4), null], 0);
    expect(breaker.isClosed).toBe(true);
    expect(breaker.limitAt(0)).toBe(8);
  });

  it('pauses after the fifth failure, then allows a single probe', () => {
    const breaker = opened();
    expect(breaker.pauseEnd).toBe(250);
    expect(breaker.admitsAt(249)).toBe(false);
    expect(breaker.admitsAt(250)).toBe(true);
    breaker.begin();
    expect(breaker.admitsAt(1_000_000)).toBe(false);
  });

  it('doubles the pause after each failed probe, up to 30 s', () => {
    const breaker = opened();
    const pauses: number[] = [];
    for (let i = 0; i < 9; i++) {
      const now = breaker.pauseEnd;
      attempts(breaker, ['down'], now);
      pauses.push(breaker.pauseEnd - now);
    }
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('halves what a busy receiver gets, and doubles it with each success', () => {
    const breaker = new Breaker(8);
    const limits = (['busy', 'busy', 'busy', 'busy', 'up', 'up', 'up'] as const).map((verdict) => {
      attempts(breaker, [verdict], 0);
      return breaker.limitAt(0);
    });
    expect(limits).toEqual([4, 2, 1, 1, 2, 4, 8]);
    expect(breaker.isWell).toBe(true);
  });

  it('pauses at once, and for as long as the receiver asks', () => {
    const breaker = new Breaker(8);
    const early = breaker.begin();
    breaker.end(breaker.begin(), 'busy', 0, 60_000);
    expect([breaker.isClosed, breaker.pauseEnd]).toEqual([false, 60_000]);
    breaker.end(early, 'up', 1);
    expect(breaker.admitsAt(59_999)).toBe(false);
    attempts(breaker, ['up'], 60_000);
    expect([breaker.isClosed, breaker.limitAt(60_000)]).toEqual([true, 2]);
  });

  it('has the limit that is set', () => {
    const breaker = new Breaker(8);
    breaker.limitTo(3);
    expect([breaker.limitAt(0), breaker.isWell]).toEqual([3, true]);
    attempts(breaker, ['busy'], 0);
    breaker.limitTo(20);
    expect([breaker.limitAt(0), breaker.isWell]).toEqual([1, false]);
    attempts(breaker, ['up', 'up', 'up', 'up', 'up'], 0);
    expect(breaker.limitAt(0)).toBe(20);
  });

  it('opens once for a blip, however many attempts were under way', () => {
    const breaker = new Breaker(20);
    const epochs = Array.from({ length: 12 }, () => breaker.begin());
    for (const epoch of epochs) breaker.end(epoch, 'down', 0);
    expect(breaker.pauseEnd).toBe(250);
  });

  it('is not closed by an attempt that began before it opened', () => {
    const breaker = new Breaker(8);
    const early = breaker.begin();
    attempts(breaker, down(5), 0);
    breaker.end(early, 'up', 1);
    expect(breaker.isClosed).toBe(false);
    expect(breaker.admitsAt(250)).toBe(true);
  });

  it('raises the limit step by step once the probe is answered', () => {
    const breaker = opened();
    const limits = [1, 2, 3, 4].map(() => {
      attempts(breaker, ['up'], 250);
      return breaker.limitAt(250);
    });
    expect(limits).toEqual([2, 4, 8, 8]);
    expect(breaker.isWell).toBe(true);
  });

  it('begins with the shortest pause again after a success', () => {
    const breaker = opened();
    attempts(breaker, ['down', 'up', ...down(5)], 10_000);
    expect(breaker.pauseEnd).toBe(10_250);
  });

  it('takes an attempt made by hand as a probe, even during the pause', () => {
    const closed = opened();
    attempts(closed, ['up'], 1);
    expect(closed.limitAt(1)).toBe(2);
    const deeper = opened();
    attempts(deeper, ['down'], 1);
    expect(deeper.pauseEnd).toBe(501);
  });

  it('allows another probe if one says nothing about the receiver', () => {
    const breaker = opened();
    attempts(breaker, [null], 250);
    expect(breaker.admitsAt(250)).toBe(true);
  });

  it('never allows more attempts than its limit, and never stays open for good', () => {
    const step = fc.constantFrom('begin', 'up', 'down', null, 'wait');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 200 }), (most, steps) => {
        const breaker = new Breaker(most);
        const underWay: number[] = [];
        let now = 0;
        for (const what of steps) {
          if (what === 'wait') now += 100;
          else if (what !== 'begin') {
            const epoch = underWay.shift();
            if (epoch !== undefined) breaker.end(epoch, what, now);
          } else if (breaker.admitsAt(now)) underWay.push(breaker.begin());
          const last = Math.max(0, ...underWay);
          expect(underWay.filter((epoch) => epoch === last).length).toBeLessThanOrEqual(most);
          if (underWay.length === 0) expect(breaker.admitsAt(now + 30_000)).toBe(true);
        }
      }),
    );
  });
});
