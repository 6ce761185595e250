import { describe, expect, it } from '@jest/globals';
import { Breaker } from './breaker.js';

function failing(times: number, now = 0): Breaker {
  const breaker = new Breaker(8);
  for (let i = 0; i < times; i++) breaker.failed(now);
  return breaker;
}

describe('Breaker', () => {
  it('allows everything until a receiver has failed five times in a row', () => {
    expect(failing(4).limitAt(0)).toBe(8);
    expect(failing(4).resumesAt).toBeNull();
  });

  it('then pauses, and allows a single attempt', () => {
    const breaker = failing(5);
    expect(breaker.limitAt(249)).toBe(0);
    expect(breaker.limitAt(250)).toBe(1);
    expect(breaker.resumesAt).toBe(250);
  });

  it('pauses twice as long after each failure, up to 30 s', () => {
    expect([6, 7, 8, 20, 1000].map((times) => failing(times).resumesAt)).toEqual([
      500, 1000, 2000, 30_000, 30_000,
    ]);
  });

  it('allows more step by step once the receiver answers again', () => {
    const breaker = failing(9);
    const limits = [1, 2, 3, 4].map(() => {
      breaker.succeeded();
      return breaker.limitAt(0);
    });
    expect(limits).toEqual([2, 4, 8, 8]);
    expect(breaker.resumesAt).toBeNull();
  });
});
