import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addCounts, noCounts } from './counts.js';
import { bucketOf, percentiles } from './histogram.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Mostly what attempts take, and sometimes anything. */
const duration = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.integer({ min: 0, max: 30_000 }),
  fc.integer({ min: 0, max: DAY_MS }),
);
const durations = fc.array(duration, { minLength: 1, maxLength: 300 });
const shares = fc.subarray([0, 0.001, 0.5, 0.95, 0.99, 0.999, 1], { minLength: 1 });

const counted = (list: number[]) => {
  const counts = noCounts();
  for (const ms of list) addCounts(counts, { ...noCounts(), durations: { [bucketOf(ms)]: 1 } });
  return counts;
};
const histogramOf = (list: number[]) => counted(list).durations;

describe('A histogram of durations', () => {
  it('is exact up to 18 ms', () => {
    for (let ms = 0; ms <= 18; ms++) expect(bucketOf(ms)).toBe(ms);
  });

  it('is within 5 % for every duration up to a day', () => {
    fc.assert(
      fc.property(duration, (ms) => {
        expect(Math.abs(bucketOf(ms) - ms)).toBeLessThanOrEqual(0.05 * ms);
      }),
      { numRuns: 5000 },
    );
    // Both ends of every bucket of an attempt.
    for (let ms = 1; ms <= 60_000; ms++) expect(Math.abs(bucketOf(ms) - ms)).toBeLessThanOrEqual(0.05 * ms);
  });

  it('counts what is out of its range at its ends', () => {
    expect(bucketOf(-1)).toBe(0);
    expect(bucketOf(1e300)).toBe(bucketOf(DAY_MS));
  });

  it('answers percentiles within 5 % of those of the durations themselves', () => {
    fc.assert(
      fc.property(durations, shares, (list, wanted) => {
        const sorted = [...list].sort((a, b) => a - b);
        const found = percentiles(histogramOf(list), wanted);
        for (const [index, one] of wanted.entries()) {
          const exact = sorted[Math.max(1, Math.ceil(one * list.length)) - 1] as number;
          expect(Math.abs((found[index] as number) - exact)).toBeLessThanOrEqual(0.05 * exact);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('has no percentiles of nothing', () => {
    expect(percentiles({}, [0.5, 0.99])).toEqual([null, null]);
  });

  it('is, merged of two, the histogram of both', () => {
    fc.assert(
      fc.property(durations, durations, (one, other) => {
        const merged = counted(one);
        addCounts(merged, counted(other));
        expect(merged).toEqual(counted([...one, ...other]));
      }),
    );
  });
});
