/** How long a unit of work waits for the others. Code that waits for its own transaction would wait forever. */
const BUSY_MS = 10_000;
/** How many units of work may wait; further ones are refused at once. */
const MAX_WAITING = 10_000;

/** A lock on the one connection: one holder at a time, first come, first served. */
export class SqliteTurn {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;

  /**
   * Waits for the caller's turn.
   *
   * @returns a function that ends the turn
   * @throws Error `SQLITE_BUSY` when the wait takes 10 s or too many wait already
   */
  async take(): Promise<() => void> {
    if (this.waiting >= MAX_WAITING)
      throw busy(`${MAX_WAITING} units of work wait for the database already.`);
    const before = this.last;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    this.last = promise;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(busy(TOO_LONG)), BUSY_MS);
    });
    this.waiting++;
    try {
      await Promise.race([before, tooLong]);
      return end;
    } catch (error) {
      void before.then(end);
      throw error;
    } finally {
      this.waiting--;
      clearTimeout(timer);
    }
  }
}

const busy = (why: string) => Object.assign(new Error(why), { code: 'SQLITE_BUSY' });

const TOO_LONG = `The database was busy for ${BUSY_MS / 1000} s. Inside a transaction, use its manager: all else waits for its end.`;
