import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestClock } from '../module/testing/test-clock.js';
import { Alarm } from './alarm.js';

/** Fires its timers up to a millisecond early, as Node's do. */
class EarlyClock extends TestClock {
  override after(ms: number, run: () => void) {
    return super.after(Math.max(0, ms - 1), run);
  }
}

describe('Alarm', () => {
  it('rings at the earliest time that was asked for, and never before it, though timers fire early', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1 }), (times) => {
        const clock = new EarlyClock();
        const rung: number[] = [];
        const alarm = new Alarm(clock, () => rung.push(clock.monotonic()));
        for (const time of times) alarm.ringBy(time);
        for (let passed = 0; passed < 220; passed++) clock.advance(0.5);
        expect(rung).toHaveLength(1);
        expect(rung[0]).toBeGreaterThanOrEqual(Math.min(...times));
        expect(rung[0]).toBeLessThan(Math.min(...times) + 1);
      }),
    );
  });

  it('can be set again after it has rung, even while it rings', () => {
    const clock = new TestClock();
    let rung = 0;
    const alarm = new Alarm(clock, () => {
      if (++rung < 3) alarm.ringBy(clock.monotonic() + 10);
    });
    alarm.ringBy(10);
    for (let passed = 0; passed < 100; passed += 5) clock.advance(5);
    expect(rung).toBe(3);
  });

  it('does not ring after it was cancelled', () => {
    const clock = new TestClock();
    const alarm = new Alarm(clock, () => {
      throw new Error('rung');
    });
    alarm.ringBy(10);
    alarm.cancel();
    clock.advance(100);
  });
});
