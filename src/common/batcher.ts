interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

export interface BatcherOptions {
  /** The largest batch. */
  maxItems: number;
  /** How long the first item waits for company, in milliseconds. 0 is until the end of this turn of the event loop. */
  lingerMs?: number;
  /** How many batches may run at once. */
  parallel?: number;
}

/**
 * Runs many small pieces of work as few large ones (group commit): while one batch runs, the next one gathers.
 */
export class Batcher<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private running = 0;
  private gathering = false;
  private readonly options: Required<BatcherOptions>;

  /** @param run takes the items of a batch and answers each, in their order. Where it rejects, all of them do. */
  constructor(
    private readonly run: (items: T[]) => Promise<R[]>,
    options: BatcherOptions,
  ) {
    this.options = { lingerMs: 0, parallel: 1, ...options };
  }

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.gather();
    });
  }

  private gather(): void {
    const { lingerMs, parallel } = this.options;
    if (this.gathering || this.running === parallel || this.waiting.length === 0) return;
    this.gathering = true;
    if (lingerMs > 0) setTimeout(() => void this.drain(), lingerMs);
    else setImmediate(() => void this.drain());
  }

  private async drain(): Promise<void> {
    const { maxItems, lingerMs } = this.options;
    this.gathering = false;
    // Another run may have taken what this one was to take.
    if (this.waiting.length === 0) return;
    this.running++;
    // What came meanwhile goes at once, unless it is to wait for company and would make a small batch.
    do {
      const batch = this.waiting.splice(0, maxItems);
      this.gather();
      try {
        const results = await this.run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    } while (this.waiting.length > (lingerMs > 0 ? maxItems / 2 : 0));
    this.running--;
    this.gather();
  }
}
