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
   * @param lingerMs how long the first item waits for company. 0 is until the end of this turn of the event loop.
   */
  constructor(
    private readonly run: (items: T[]) => Promise<R[]>,
    private readonly maxItems: number,
    private readonly lingerMs = 0,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (this.running) return;
      this.running = true;
      this.gather();
    });
  }

  private gather(): void {
    if (this.lingerMs > 0) setTimeout(() => void this.drain(), this.lingerMs);
    else setImmediate(() => void this.drain());
  }

  private async drain(): Promise<void> {
    // What came meanwhile goes at once, unless it is to wait for company and would make a small batch.
    do {
      const batch = this.waiting.splice(0, this.maxItems);
      try {
        const results = await this.run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as R);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    } while (this.waiting.length > (this.lingerMs > 0 ? this.maxItems / 2 : 0));
    this.running = this.waiting.length > 0;
    if (this.running) this.gather();
  }
}
