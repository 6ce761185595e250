interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * Runs many small pieces of work as few large ones (group commit): while one batch runs, the next one gathers.
 */
export class Batcher<T, R> {
  private waiting: Waiting<T, R>[] = [];
  private running = false;

  /**
   * @param run takes the items of a batch and answers each, in their order. Where it rejects, all of them do.
   * @param maxItems the largest batch.
   */
  constructor(
    private readonly run: (items: T[]) => Promise<R[]>,
    private readonly maxItems: number,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running) return;
      this.running = true;
      // Not at once: what else arrives in this turn of the event loop comes along.
      setImmediate(() => void this.drain());
    });
  }

  /** How many items wait for a batch to come. */
  get size(): number {
    return this.waiting.length;
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.maxItems);
      try {
        const results = await this.run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.running = false;
  }
}
