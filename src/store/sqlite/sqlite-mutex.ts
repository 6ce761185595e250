import { Logger } from '@nestjs/common';
import { type Connection, OpenTransaction } from './open-transaction.js';

/** How long a unit of work waits for the others. Code that waits for its own transaction would wait forever. */
const BUSY_MS = 10_000;
/** How many units of work may wait; further ones are refused at once. */
const MAX_WAITING = 10_000;

/** After how long one that waits checks what it waits for, in milliseconds. */
const WARN_AFTER_MS = 1000;

/** The lock of the one connection: one holder at a time, first come, first served. */
export class SqliteMutex implements Connection {
  steps = 0;
  private readonly logger = new Logger('Database');
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private open: OpenTransaction | null = null;

  /** @param isRunning whether the connection runs a statement. */
  constructor(readonly isRunning: () => boolean) {}

  /** Acquires it as {@link acquire} does, for a transaction of several steps, which is over when it is released. */
  async begin(): Promise<{ transaction: OpenTransaction; release: () => void }> {
    const letGo = await this.acquire();
    const transaction = new OpenTransaction(this);
    this.open = transaction;
    const release = () => {
      this.open = null;
      transaction.end();
      letGo();
    };
    return { transaction, release };
  }

  /**
   * Waits for the end of the transaction that the caller is in, if there is one.
   *
   * @throws OwnTransactionError if that waits for the caller
   */
  outsideOfOwn(): Promise<void> | undefined {
    return OpenTransaction.around(this)?.ended();
  }

  /**
   * Waits until the others before have released it.
   *
   * @returns a function that releases it
   * @throws Error `SQLITE_BUSY` when the wait takes 10 s, too many wait already, or the caller is in a transaction that waits for it
   */
  async acquire(): Promise<() => void> {
    const own = this.outsideOfOwn();
    if (own) await own;
    if (this.waiting >= MAX_WAITING)
      throw busy(`${MAX_WAITING} units of work wait for the database already.`);
    const before = this.last;
    const { promise, resolve: release } = Promise.withResolvers<void>();
    this.last = promise;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.warnOfIdle();
        timer = setTimeout(() => reject(busy(TOO_LONG)), BUSY_MS - WARN_AFTER_MS);
      }, WARN_AFTER_MS);
    });
    this.waiting++;
    try {
      await Promise.race([before, tooLong]);
      return release;
    } catch (error) {
      void before.then(release);
      throw error;
    } finally {
      this.waiting--;
      clearTimeout(timer);
    }
  }

  /** Warns, once, of a transaction that runs nothing while others wait: nobody can tell whether it waits for one of them. */
  private warnOfIdle(): void {
    const { open } = this;
    if (!open || open.isWatched) return;
    open.isWatched = true;
    open.ended().catch(() => this.logger.warn(`${IDLE} ${this.waiting} wait for it.`));
  }
}

const IDLE =
  'A transaction keeps SQLite to itself and runs nothing. If it waits for a call that did not get its manager, such as ' +
  'notify(name, event) without { manager }, each waits for the other.';

const busy = (why: string) => Object.assign(new Error(why), { code: 'SQLITE_BUSY' });

const TOO_LONG = `The database was busy for ${BUSY_MS / 1000} s. Inside a transaction, use its manager: all else waits for its end.`;
