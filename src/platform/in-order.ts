/** Work that may run in parallel, parts of which have to be done in the order in which it began. */
export class InOrder {
  private earlier: Promise<unknown> = Promise.resolve();

  /** @param work waits for `afterEarlier` before the part that has to be in order: all work that began earlier has ended then. */
  async inOrder<T>(work: (afterEarlier: () => Promise<void>) => Promise<T>): Promise<T> {
    const { earlier } = this;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.earlier = earlier.then(() => ended);
    try {
      return await work(() => earlier.then(() => {}));
    } finally {
      resolve();
    }
  }
}
