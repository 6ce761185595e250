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

const STEP_MS = 250;
/** Of real time: what a step brings about may take this long before the next one. */
const STEP_AT_MOST_MS = 500;

/**
 * Lets time pass in small steps, each when nothing that the last one brought about is under way any more: otherwise time
 * would run away from the database and the sockets.
 */
export async function pass(
  clock: TestClock,
  ms: number,
  isBusy: () => boolean,
  isOver: () => boolean = () => false,
): Promise<void> {
  for (let passed = 0; passed < ms && !isOver(); passed += STEP_MS) {
    clock.advance(STEP_MS);
    const end = performance.now() + STEP_AT_MOST_MS;
    do await new Promise((resolve) => setTimeout(resolve, 2));
    while (isBusy() && performance.now() < end);
  }
}
