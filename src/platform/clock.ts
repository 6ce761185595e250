/**
 * The only source of time. It is injected wherever time matters, so tests can set it.
 */
export interface Clock {
  /** Wall-clock time in milliseconds since the Unix epoch, for timestamps. It may jump forward or back. */
  now(): number;
  /** Milliseconds since an arbitrary moment, for durations. It never jumps and may be fractional. */
  monotonic(): number;
  /**
   * Calls `run` once after `ms` milliseconds, possibly slightly early. Does not keep the process alive.
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
