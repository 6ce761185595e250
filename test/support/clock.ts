import { systemClock } from '../../src/common/clock.js';
import { TestClock } from '../../src/testing/test-clock.js';

let aheadMs = 0;

/** Steps the wall clock of every service in this process, forward or back; durations and timers keep their pace. */
export function moveClock(ms: number): void {
  aheadMs += ms;
  systemClock.now = () => Date.now() + aheadMs;
}

/** Fires its timers a little before their time, as Node's do. */
export class EarlyClock extends TestClock {
  override after(ms: number, run: () => void): () => void {
    return super.after(Math.max(0, ms - 1), run);
  }
}

/** Every service in this process that is started from now on goes by this clock. @returns what ends that. */
export function useClock(clock: TestClock): () => void {
  const before = { ...systemClock };
  Object.assign(systemClock, {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (ms: number, run: () => void) => clock.after(ms, run),
  });
  return () => Object.assign(systemClock, before);
}

/** Lets time pass in small steps, with a little real time after each for what it brings about. */
export async function pass(clock: TestClock, ms: number, isOver: () => boolean = () => false): Promise<void> {
  for (let passed = 0; passed < ms && !isOver(); passed += STEP_MS) {
    clock.advance(STEP_MS);
    await new Promise((resolve) => setTimeout(resolve, 4));
  }
}

const STEP_MS = 250;
