/** The most that the event loop is held up at a time, in milliseconds. */
const SLICE_MS = 4;

/**
 * Runs many small pieces of synchronous work that are asked for at once without holding up the event loop: in slices,
 * between which everything else has its turn. A piece that comes alone runs at once.
 */
export class Slices {
  private waiting: (() => void)[] = [];
  /** What was spent in this turn of the event loop, in milliseconds. */
  private spent = 0;
  private turning = false;

  /** Resolves with what `work` answers, in the order of asking; rejects with what it throws. */
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
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.turning = false;
    this.spent = 0;
    if (this.waiting.length > 0) this.spend();
  }
}
