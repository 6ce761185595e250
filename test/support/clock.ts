import { TestClock } from '../../src/module/testing/test-clock.js';
import { systemClock } from '../../src/platform/clock.js';

/** Moves the wall clock of every service in this process, forward or back; durations and timers are not affected. */
export function moveClock(ms: number): void {
  const { now } = systemClock;
  systemClock.now = () => now() + ms;
}

/** Makes every service in this process find that it stood still for so long, as after SIGSTOP. @returns a function that undoes this. */
export function standStill(ms: number): () => void {
  const { now, monotonic } = systemClock;
  systemClock.now = () => now() + ms;
  systemClock.monotonic = () => monotonic() + ms;
  return () => Object.assign(systemClock, { now, monotonic });
}

/** Fires timers up to 1 ms early, as Node does. */
export class EarlyClock extends TestClock {
  override after(ms: number, run: () => void): () => void {
    return super.after(Math.max(0, ms - 1), run);
  }
}

/** Makes every service started in this process from now on use this clock. @returns a function that undoes this. */
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
/** Longest real time that the work caused by one step may take before the next step. */
const STEP_AT_MOST_MS = 500;

/**
 * Lets time pass in small steps. Each step waits until the work caused by the previous one is done: otherwise the clock
 * would run ahead of the database and the sockets.
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
