import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Liveness } from './liveness.js';

const TIMEOUT = 45_000;
const LOOK = 5000;
const row = (id: string, heartbeatAt: number) => ({ id, heartbeatAt });

describe('Liveness', () => {
  it('takes nobody for dead before it has watched for the timeout, however old the heartbeats were when it started', () => {
    const liveness = new Liveness(TIMEOUT, 2 * LOOK);
    const [dead, cutOff] = [row('dead', 1), row('cut off', 1)];
    for (let now = 0; now < TIMEOUT; now += LOOK) {
      // The database is back, and the last of the living gets through to it.
      const pulses = [dead, now < TIMEOUT - LOOK ? cutOff : row('cut off', 2)];
      expect(liveness.poll(pulses, now)).toEqual([]);
    }
    expect(liveness.poll([dead, row('cut off', 2)], TIMEOUT)).toEqual([dead]);
  });

  it('takes any change of the row for a heartbeat, also one back', () => {
    const liveness = new Liveness(TIMEOUT, 2 * LOOK);
    for (let look = 0; look < 50; look++) {
      const beats = Math.floor(look / 2);
      expect(liveness.poll([row('a', beats % 2 === 0 ? beats : -3_600_000 * beats)], look * LOOK)).toEqual(
        [],
      );
    }
  });

  it('does not declare the others dead after it was frozen itself', () => {
    const liveness = new Liveness(TIMEOUT, 2 * LOOK);
    liveness.poll([row('a', 1)], 0);
    liveness.poll([row('a', 1)], LOOK);
    expect(liveness.poll([row('a', 1)], LOOK + 3_600_000)).toEqual([]);
    expect(liveness.poll([row('a', 2)], LOOK + 3_600_000 + LOOK)).toEqual([]);
  });

  it('finds each death between the timeout and two polls later, and never a living instance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200_000 }),
        fc.array(fc.integer({ min: 1, max: LOOK }), { minLength: 100, maxLength: 100 }),
        (diesAt, gaps) => {
          const liveness = new Liveness(TIMEOUT, 2 * LOOK);
          let now = 0;
          for (const gap of gaps) {
            const beatsAt = Math.floor(Math.min(now, diesAt) / 10_000) * 10_000;
            const looked = liveness.poll([row('living', now), row('dying', beatsAt)], now);
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
