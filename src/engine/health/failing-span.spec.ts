import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterFailure, type FailingSpan } from './failing-span.js';

const DAY = 24 * 60 * 60 * 1000;
const SPAN = 5 * DAY;
const QUARTER = SPAN / 4;
const LIMITS = { spanMs: SPAN, pauseMs: DAY / 2 };

const failure = (endAt: number) => ({ beginAt: endAt, endAt });

/** Adds failures at these times, until one ends the span. */
function resultOf(times: number[], limits = LIMITS): { span: FailingSpan | null; over: number | null } {
  let span: FailingSpan | null = null;
  for (const time of times) {
    const next: FailingSpan | 'over' = afterFailure(span, failure(time), null, limits);
    if (next === 'over') return { span, over: time };
    span = next;
  }
  return { span, over: null };
}

const times = fc
  .array(fc.integer({ min: 0, max: 30 * DAY }), { maxLength: 60 })
  .map((list) => list.sort((a, b) => a - b));

describe('A span of failures', () => {
  it('is over only with failures in each quarter of five days', () => {
    fc.assert(
      fc.property(times, (failures) => {
        const { span, over } = resultOf(failures);
        if (over === null || span === null) return;
        expect(over - span.since).toBeGreaterThanOrEqual(SPAN);
        for (const quarter of [0, 1, 2, 3]) {
          const begin = span.since + quarter * QUARTER;
          expect(failures.some((time) => time >= begin && time < begin + QUARTER)).toBe(true);
        }
      }),
    );
  });

  it('is over within five days and one pause if the pauses are short', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: QUARTER }), { minLength: 400, maxLength: 400 }),
        (pauses) => {
          let now = 0;
          const failures = [0, ...pauses.map((pause) => (now += pause))];
          const { over } = resultOf(failures);
          if (now < SPAN + QUARTER) return;
          expect(over).not.toBeNull();
          expect(over).toBeLessThanOrEqual(SPAN + QUARTER);
        },
      ),
    );
  });

  it('is not over at once, wherever the clock jumps', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1000 * DAY, max: 1000 * DAY }), (jump) => {
        expect(resultOf([0, DAY, 2 * DAY, 2 * DAY + jump, 2 * DAY + jump + 1000]).over).toBeNull();
      }),
    );
  });

  it('stays as it is within a quarter', () => {
    const span = { since: 0, quarters: 2, oldest: 'b' };
    for (const oldest of [null, 'b', 'c'])
      expect(afterFailure(span, failure(QUARTER + 1), oldest, LIMITS)).toBe(span);
    expect(afterFailure(span, failure(-1), 'c', LIMITS)).toBe(span);
  });

  it('begins when its first attempt began', () => {
    const begun = { since: 5, quarters: 1, oldest: 'a' };
    expect(afterFailure(null, { beginAt: 5, endAt: 20 }, 'a', LIMITS)).toEqual(begun);
  });

  it('knows the oldest notification that failed', () => {
    const span = { since: 0, quarters: 2, oldest: 'b' };
    expect(afterFailure(span, failure(QUARTER + 1), 'a', LIMITS)).toEqual({ ...span, oldest: 'a' });
    expect(afterFailure(span, failure(2 * QUARTER), 'a', LIMITS)).toEqual({
      since: 0,
      quarters: 3,
      oldest: 'a',
    });
    expect(afterFailure({ ...span, oldest: null }, failure(1), 'c', LIMITS)).toMatchObject({ oldest: 'c' });
    // What failed before a gap belongs to another span, but was not delivered either.
    const anew = { since: 30 * DAY, quarters: 1, oldest: 'b' };
    expect(afterFailure(span, failure(30 * DAY), 'c', LIMITS)).toEqual(anew);
  });

  it('is never over where webhooks are never disabled', () => {
    fc.assert(
      fc.property(times, (failures) => {
        expect(resultOf(failures, { spanMs: 0, pauseMs: 0 }).over).toBeNull();
      }),
    );
  });

  it('has no gap where no attempt was due in a quarter', () => {
    const HOUR = DAY / 24;
    // After 5 s, 5 min, 30 min and 2 h.
    const failures = [0, 5000, 305_000, 0.6 * HOUR, 2.6 * HOUR];
    expect(resultOf(failures, { spanMs: HOUR, pauseMs: 3 * HOUR }).over).toBe(2.6 * HOUR);
    expect(resultOf(failures, { spanMs: HOUR, pauseMs: HOUR }).over).toBeNull();
  });
});
