const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/** Doubling pauses of up to 15 s, each a quarter longer or shorter, so that many pages do not call at once. */
export function backoffMs(tries: number): number {
  const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
  return ms * (0.75 + Math.random() / 2);
}

/** Resolves after `ms`, or at once when `signal` is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
    function done() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}
