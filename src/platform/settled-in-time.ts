import { systemClock } from './clock.js';

/** The usual limit of each final step of a shutdown, which would otherwise hang on a silent database. */
const STOP_MS = 500;
/** The longest time of a timer. */
const ALWAYS_MS = 2 ** 31 - 1;

/** Resolves when the work has succeeded or failed, or when the time is up, so that whoever waits always goes on. */
export async function settledInTime(work: Promise<unknown>, withinMs = STOP_MS): Promise<void> {
  const { promise: tooLong, resolve } = Promise.withResolvers<void>();
  const cancel = systemClock.after(withinMs, resolve);
  // The clock's timers do not keep the process alive, which is not to end before what comes after this.
  const alive = setInterval(() => {}, ALWAYS_MS);
  await Promise.race([work.catch(() => undefined), tooLong]);
  clearInterval(alive);
  cancel();
}
