/**
 * The one source of time. Injected wherever time matters, so that tests move it by hand.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, by the wall clock, which may be set forward or back: for stamps. */
  now(): number;
  /** Milliseconds since some moment in the past, never set: for durations. Not always whole. */
  monotonic(): number;
  /**
   * Calls `run` once, `ms` milliseconds from now, perhaps a little early. Does not keep the process alive.
   *
   * @returns a function that cancels the call.
   */
  after(ms: number, run: () => void): () => void;
}

/** Injection token of the {@link Clock}. */
export const CLOCK = Symbol('CLOCK');

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
