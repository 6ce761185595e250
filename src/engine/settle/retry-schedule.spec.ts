import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nextAttemptDelayMs, retryAfterMs } from './retry-schedule.js';

const NOW = Date.parse('2026-11-21T10:15:30.000Z');
const HOUR = 3_600_000;

describe('nextAttemptDelayMs', () => {
  const schedule = [5, 300];

  it('takes one pause per failure, then none', () => {
    const middle = () => 0.5;
    expect([1, 2, 3, 4].map((failed) => nextAttemptDelayMs(failed, schedule, middle))).toEqual([
      5_000,
      300_000,
      null,
      null,
    ]);
    expect(nextAttemptDelayMs(1, [], middle)).toBeNull();
  });

  it('spreads by 20 % either way', () => {
    expect(nextAttemptDelayMs(1, schedule, () => 0)).toBe(4_000);
    expect(nextAttemptDelayMs(1, schedule, () => 0.25)).toBe(4_500);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        const delay = nextAttemptDelayMs(2, schedule, () => random) ?? 0;
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(240_000);
        expect(delay).toBeLessThanOrEqual(360_000);
      }),
    );
  });
});

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    [' 0 ', 0],
    ['-5', 0],
    ['3601', HOUR],
    ['9'.repeat(400), HOUR],
    ['Sat, 21 Nov 2026 10:16:00 GMT', 30_000],
    ['Saturday, 21-Nov-26 10:16:00 GMT', 30_000],
    ['Sat Nov 21 10:16:00 2026', 30_000],
    ['Sat, 21 Nov 2026 10:15:00 GMT', 0],
    ['Sun Nov  1 08:49:37 2026', 0],
    ['Tue, 21 Nov 2034 10:15:00 GMT', HOUR],
  ])('reads %j', (header, pause) => {
    expect(retryAfterMs(header, NOW)).toBe(pause);
  });

  it.each([
    undefined,
    '',
    'soon',
    '1.5',
    '1e3',
    '0x10',
    '60, 120',
    '2026-11-21T10:16:00Z',
    'Sat, 99 Foo 2026 10:16:00 GMT',
  ])('cannot read %j', (header) => {
    expect(retryAfterMs(header, NOW)).toBeNull();
  });

  it('stays within an hour, whatever it is given', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String)), (header) => {
        const pause = retryAfterMs(header, NOW);
        expect(pause === null || (pause >= 0 && pause <= HOUR)).toBe(true);
      }),
    );
  });
});
