/** The longest time that one slice may block the event loop, in milliseconds. */
const SLICE_MS = 4;

/**
 * Runs many small pieces of synchronous work without blocking the event loop, in slices that let everything else run in
 * between. A piece that arrives alone runs at once.
 */
export class Slices {
  private waiting: (() => void)[] = [];
  /** Time spent in this turn of the event loop, in milliseconds. */
  private spent = 0;
  private turning = false;

  /** Runs `work` in the order of the calls. Resolves with its result, or rejects with its error. */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (this.waiting.length === 1) this.spend();
    });
  }

  private spend(): void {
    const begin = performance.now();
    const left = SLICE_MS - this.spent;
    let done = 0;
    for (; done < this.waiting.length && performance.now() - begin < left; done++) this.waiting[done]?.();
    this.waiting.splice(0, done);
    this.spent += performance.now() - begin;
    if (this.turning) return;
    this.turning = true;
    setImmediate(() => this.runSlice());
  }

  private runSlice(): void {
    this.turning = false;
    this.spent = 0;
    if (this.waiting.length > 0) this.spend();
  }
}
