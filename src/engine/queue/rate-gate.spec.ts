import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TestClock } from '../../module/testing/test-clock.js';
import { RateGate, type Starts } from './rate-gate.js';

const WINDOW_MS = 200;

/** Processes that share a rate, each with more triggers than it can start, on a machine whose timers ring late. */
class World {
  readonly clock = new TestClock();
  /** When attempts started, over all processes. */
  readonly starts: number[] = [];
  private nextAt = 0;
  private readonly gates: RateGate[];

  constructor(
    private readonly perSecond: number,
    processes: number,
    private readonly waiting = Number.POSITIVE_INFINITY,
  ) {
    this.gates = Array.from({ length: processes }, () => {
      const gate = new RateGate(perSecond, this.clock, {
        reserve: async (count) => this.reserve(count),
        onChange: () => this.run(gate),
      });
      return gate;
    });
  }

  async pass(ms: number, stepsMs: number[]): Promise<void> {
    for (const gate of this.gates) this.run(gate);
    const end = this.clock.monotonic() + ms;
    for (let n = 0; this.clock.monotonic() < end; n++) {
      await Promise.resolve();
      await Promise.resolve();
      this.clock.advance(stepsMs[n % stepsMs.length] as number);
    }
  }

  private run(gate: RateGate): void {
    const now = this.clock.monotonic();
    while (gate.mayStartAt(now)) {
      gate.start();
      this.starts.push(now);
    }
    gate.await(this.waiting, now);
  }

  private reserve(count: number): Starts {
    const now = this.clock.monotonic();
    const first = Math.max(now, this.nextAt);
    if (first > now + 1000) return { delayMs: first - now - 1000, count: 0 };
    this.nextAt = first + (count * 1000) / this.perSecond;
    return { delayMs: first - now, count };
  }
}

/** The most starts in any window. */
function most(starts: number[], windowMs: number): number {
  const sorted = starts.toSorted((a, b) => a - b);
  let from = 0;
  let found = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[from] as number) >= windowMs) from++;
    found = Math.max(found, index - from + 1);
  }
  return found;
}

describe('RateGate', () => {
  it.each([1, 3])('keeps to 50 a second, evenly, in %i processes', async (processes) => {
    const world = new World(50, processes);
    await world.pass(10_000, [1]);
    expect(world.starts.length).toBeGreaterThanOrEqual(500 * 0.95);
    expect(world.starts.length).toBeLessThanOrEqual(500 * 1.05);
    expect(most(world.starts, WINDOW_MS)).toBeLessThanOrEqual(12);
  });

  it('begins no start early that was reserved late', async () => {
    const clock = new TestClock();
    const reserved = Promise.withResolvers<Starts>();
    const gate = new RateGate(0.2, clock, { reserve: () => reserved.promise, onChange: () => {} });
    gate.await(1, clock.monotonic());
    clock.advance(4000);
    reserved.resolve({ delayMs: 1000, count: 1 });
    await reserved.promise;
    await Promise.resolve();
    expect(gate.mayStartAt(clock.monotonic() + 999)).toBe(false);
    expect(gate.mayStartAt(clock.monotonic() + 1000)).toBe(true);
  });

  it('never makes up for starts that a busy process has missed', async () => {
    const late = fc.array(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(1, 2, 3) }, fc.nat(400)), {
      minLength: 20,
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(50, 100, 1000),
        fc.integer({ min: 1, max: 4 }),
        late,
        async (rate, processes, steps) => {
          const world = new World(rate, processes);
          await world.pass(
            5000,
            steps.map((ms) => ms + 1),
          );
          const perWindow = (rate * WINDOW_MS) / 1000;
          expect(most(world.starts, WINDOW_MS)).toBeLessThanOrEqual(perWindow * 1.2 + 1);
          expect(world.starts.length).toBeLessThanOrEqual(5 * rate * 1.05 + 1);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('starts the first at once, and keeps to low rates as well', async () => {
    const world = new World(0.5, 2);
    await world.pass(10, [1]);
    expect(world.starts).toHaveLength(1);
    await world.pass(20_000, [5]);
    expect(world.starts.length).toBeGreaterThanOrEqual(10);
    expect(world.starts.length).toBeLessThanOrEqual(11);
    expect(most(world.starts, 1700)).toBe(1);
  });

  it('asks again after the database has failed', async () => {
    const clock = new TestClock();
    let asked = 0;
    let changes = 0;
    const gate = new RateGate(10, clock, {
      reserve: async () => {
        if (++asked === 1) throw new Error('away');
        return { delayMs: 0, count: 1 };
      },
      onChange: () => {
        changes++;
        gate.await(1, clock.monotonic());
      },
    });
    gate.await(1, 0);
    for (let n = 0; n < 200 && !gate.mayStartAt(clock.monotonic()); n++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      clock.advance(10);
    }
    expect(asked).toBe(2);
    expect(changes).toBeGreaterThanOrEqual(2);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(1000);
  });
});
