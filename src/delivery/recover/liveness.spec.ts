import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Liveness } from './liveness.js';

const TIMEOUT = 45_000;
const LOOK = 5000;
const row = (id: string, heartbeatAt: number, ageMs = 0) => ({ id, heartbeatAt, ageMs });

describe('Liveness', () => {
  it('finds dead at the first look only instances whose heartbeat is too old by then', () => {
    const liveness = new Liveness(TIMEOUT, 2 * LOOK);
    const old = row('old', 1, TIMEOUT + 1);
    expect(liveness.look([old, row('young', 2, TIMEOUT)], 0)).toEqual([old]);
  });

  it('does not take a step of the clock for a death', () => {
    const liveness = new Liveness(TIMEOUT, 2 * LOOK);
    for (let look = 0; look < 50; look++) {
      // An hour forward, an hour back, and a beat at every second look.
      const ageMs = look === 0 ? 0 : look % 3 === 0 ? 3_600_000 : -3_600_000;
      expect(liveness.look([row('a', Math.floor(look / 2), ageMs)], look * LOOK)).toEqual([]);
    }
  });

  it('does not declare the others dead after it was frozen itself', () => {
    const liveness = new Liveness(TIMEOUT, 2 * LOOK);
    liveness.look([row('a', 1)], 0);
    liveness.look([row('a', 1)], LOOK);
    expect(liveness.look([row('a', 1)], LOOK + 3_600_000)).toEqual([]);
    expect(liveness.look([row('a', 2)], LOOK + 3_600_000 + LOOK)).toEqual([]);
  });

  it('finds each death between the timeout and two looks later, and never a living instance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200_000 }),
        fc.array(fc.integer({ min: 1, max: LOOK }), { minLength: 100, maxLength: 100 }),
        (diesAt, gaps) => {
          const liveness = new Liveness(TIMEOUT, 2 * LOOK);
          let now = 0;
          for (const gap of gaps) {
            const beatsAt = Math.floor(Math.min(now, diesAt) / 10_000) * 10_000;
            const looked = liveness.look([row('living', now), row('dying', beatsAt)], now);
            const dead = looked.map(({ id }) => id);
            expect(dead).not.toContain('living');
            const lastBeat = Math.floor(diesAt / 10_000) * 10_000;
            if (dead.includes('dying')) expect(now - lastBeat).toBeGreaterThanOrEqual(TIMEOUT);
            else expect(now - lastBeat).toBeLessThanOrEqual(TIMEOUT + 2 * LOOK);
            now += gap;
          }
        },
      ),
    );
  });
});
