import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Turnover } from './turnover.js';

const SLOTS = 10;
/** A trigger in each slot, and seven that wait for it. */
const MOST = 8 * SLOTS;

/** Keeps all slots busy with attempts that each take `ms`. @returns the time when the last one has ended. */
function run(turnover: Turnover, rounds: number, ms: number, from = 0): number {
  let now = from;
  for (let round = 0; round < rounds; round++) {
    turnover.use(SLOTS, now);
    now += ms;
    turnover.use(0, now);
    for (let slot = 0; slot < SLOTS; slot++) turnover.count();
  }
  return now;
}

describe('Turnover', () => {
  it('at first holds one for each slot, and two that wait', () => {
    expect(new Turnover(SLOTS).placesAt(0)).toBe(3 * SLOTS);
  });

  it('holds the most once each slot has been used by an attempt that a fast receiver has answered', () => {
    const turnover = new Turnover(SLOTS);
    expect(turnover.placesAt(run(turnover, 1, 5))).toBe(MOST);
  });

  it('forgets how long attempts took before the last ones, as when a receiver opens after ten seconds', () => {
    const turnover = new Turnover(SLOTS);
    const opened = run(turnover, 1, 10_000);
    expect(turnover.placesAt(opened)).toBe(SLOTS + 2);
    expect(turnover.placesAt(run(turnover, 1, 50, opened))).toBe(MOST);
  });

  it('learns as soon from the few slots that are in use', () => {
    const turnover = new Turnover(SLOTS);
    turnover.use(2, 0);
    for (let ended = 1; ended <= 2; ended++) {
      turnover.use(2 - ended, 10_000);
      turnover.count();
    }
    expect(turnover.placesAt(10_000)).toBe(SLOTS + 2);
    turnover.use(1, 10_000);
    turnover.use(0, 10_005);
    turnover.count();
    expect(turnover.placesAt(10_005)).toBe(MOST);
  });

  it('holds no more than the slots for a receiver that takes minutes', () => {
    const turnover = new Turnover(SLOTS);
    expect(turnover.placesAt(run(turnover, 5, 100_000))).toBe(SLOTS);
  });

  it('sees that a fast receiver has become slow before it answers, and which triggers will not start soon', () => {
    const turnover = new Turnover(SLOTS);
    const now = run(turnover, 10, 5);
    const waiting = MOST - SLOTS;
    expect(turnover.lateAt(now, waiting, SLOTS)).toBe(0);
    turnover.use(SLOTS, now);
    expect(turnover.placesAt(now + 10_000)).toBeLessThan(2 * SLOTS);
    expect(turnover.lateAt(now + 10_000, waiting, SLOTS)).toBeGreaterThan(waiting - SLOTS);
  });

  it('does not count triggers whose results are being stored, up to the most', () => {
    const turnover = new Turnover(SLOTS);
    const now = run(turnover, 5, 100_000);
    expect(turnover.leftAt(now, SLOTS, 0)).toBe(0);
    expect(turnover.leftAt(now, SLOTS, SLOTS)).toBe(SLOTS);
    expect(turnover.leftAt(now, MOST, MOST)).toBe(0);
  });

  it('always holds one, never more than the most, and gives back only what waits', () => {
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
          const turnover = new Turnover(SLOTS);
          const now = past.reduce((from, { rounds, ms }) => run(turnover, rounds, ms, from), 0);
          const places = turnover.placesAt(now);
          expect(places).toBeGreaterThanOrEqual(SLOTS);
          expect(places).toBeLessThanOrEqual(turnover.mostPlaces());
          const late = turnover.lateAt(now, waiting, sending);
          expect(late).toBeGreaterThanOrEqual(0);
          expect(late).toBeLessThanOrEqual(waiting);
          // What is kept fits, so it is not claimed and given back in turns.
          if (late > 0) expect(sending + waiting - late).toBeLessThanOrEqual(places);
        },
      ),
    );
  });
});
