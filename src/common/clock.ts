/**
 * The one source of time. Injected wherever time matters, so that tests move it by hand.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Milliseconds that never step; only differences mean something. */
  monotonic(): number;
  /**
   * Calls `run` once, `ms` milliseconds from now. Does not keep the process alive.
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
