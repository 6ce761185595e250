import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestClock } from '../../module/testing/test-clock.js';
import { QueueTime } from './queue-time.js';

const HOUR = 3_600_000;

describe('QueueTime', () => {
  it('equals the wall clock, and follows it forward', () => {
    const clock = new TestClock(1000);
    const time = new QueueTime(clock);
    expect(time.now()).toBe(1000);
    clock.advance(500);
    expect(time.now()).toBe(1500);
    clock.step(HOUR);
    expect(time.now()).toBe(1500 + HOUR);
  });

  it('goes on at its own pace after the wall clock is set back, until that has caught up', () => {
    const clock = new TestClock(1000);
    const time = new QueueTime(clock);
    time.now();
    clock.step(-HOUR);
    clock.advance(500);
    expect(time.now()).toBe(1500);
    clock.step(HOUR);
    clock.advance(500);
    expect(time.now()).toBe(clock.now());
  });

  it('never goes back, never runs slower than time passes, and is never behind the wall clock', () => {
    const step = fc.record({ pass: fc.nat(5000), set: fc.integer({ min: -HOUR, max: HOUR }) });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const clock = new TestClock(1e12);
        const time = new QueueTime(clock);
        let last = time.now();
        for (const { pass, set } of steps) {
          clock.advance(pass);
          clock.step(set);
          const now = time.now();
          expect(now).toBeGreaterThanOrEqual(last + pass);
          expect(now).toBeGreaterThanOrEqual(clock.now());
          last = now;
        }
      }),
    );
  });
});
