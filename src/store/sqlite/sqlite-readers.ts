import { setTimeout as pause } from 'node:timers/promises';
import type { SqliteAnswer } from './sqlite-session.js';
import { SqliteThread } from './sqlite-thread.js';

/** When this many reads wait, further ones are refused: they would not be answered in time. */
const MAX_WAITING = 1000;
/** An idle service asks several things at the same moment, now and then. */
const FEW = 100;

const LIMITS = {
  /** How long reads wait for the only thread until a second one is started. */
  patienceMs: 10,
  /** How long the second thread, which takes 12 MB, is kept for few reads. */
  keepMs: 30_000,
};

/**
 * Read-only connections, each in its own thread, that read committed data while another connection writes: lists neither
 * wait for commits nor delay them. A second one goes on while the first runs a slow read, and ends when few reads need it; more
 * would take processor time from deliveries.
 */
export class SqliteReaders {
  private threads: SqliteThread[];
  private closed = false;
  private readsOfSecond = 0;
  private review: NodeJS.Timeout | undefined;
  private ending: Promise<void> = Promise.resolve();
  /** Reads that wait for the only thread, and what all of them wait for. */
  private waiting = 0;
  private change: Promise<void> | null = null;
  private impatientAt: number | null = null;

  private constructor(
    private readonly path: string,
    private readonly limits: typeof LIMITS,
  ) {
    this.threads = [open(path)];
  }

  /** @returns null if the database cannot be read while it is being written. */
  static async beside(writer: SqliteThread, path: string, limits = LIMITS): Promise<SqliteReaders | null> {
    // Answered after everything the writer was asked before, which may include a change of the mode.
    const [mode] = (await writer.pragma('journal_mode')) as { journal_mode: string }[];
    if (mode?.journal_mode !== 'wal') return null;
    return new SqliteReaders(path, limits);
  }

  async query(sql: string, parameters: unknown[]): Promise<SqliteAnswer> {
    this.replaceEnded();
    if (this.isOnlyOneBusy()) await this.untilFree();
    const [first, second] = this.threads as [SqliteThread, SqliteThread?];
    const thread = second && second.waitingCalls < first.waitingCalls ? second : first;
    if (thread.waitingCalls >= MAX_WAITING / 2) throw tooMany();
    if (thread === second) this.readsOfSecond++;
    return thread.query(sql, parameters);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.change?.catch(() => {});
    clearInterval(this.review);
    await Promise.all([this.ending, ...this.threads.map((thread) => thread.close())]);
  }

  private isOnlyOneBusy(): boolean {
    const [first, second] = this.threads as [SqliteThread, SqliteThread?];
    return !second && first.waitingCalls > 0;
  }

  /** Resolves when the only thread has nothing to do, or a second one is open. */
  private async untilFree(): Promise<void> {
    if (this.waiting >= MAX_WAITING) throw tooMany();
    this.waiting++;
    try {
      while (this.isOnlyOneBusy()) {
        this.change ??= this.freeOrSecond().finally(() => {
          this.change = null;
        });
        await this.change;
      }
    } finally {
      this.waiting--;
      if (this.waiting === 0) this.impatientAt = null;
    }
  }

  private async freeOrSecond(): Promise<void> {
    const [first] = this.threads as [SqliteThread];
    await first.opened.catch(() => {});
    this.impatientAt ??= performance.now() + this.limits.patienceMs;
    const timer = new AbortController();
    const patience = pause(Math.max(0, this.impatientAt - performance.now()), true, timer).catch(() => false);
    const isImpatient = await Promise.race([patience, first.answered()]);
    timer.abort();
    if (this.closed) return first.answered();
    if (!isImpatient || first.isOver) return;
    const second = open(this.path);
    // Until it is open it would look busier than a thread with a slow read.
    await second.answered();
    if (second.isOver) {
      void second.close();
      return first.answered();
    }
    // The first may have been replaced meanwhile.
    this.threads = [...this.threads, second];
    this.review = setInterval(() => this.endSecond(second), this.limits.keepMs).unref();
  }

  /** Ends the second thread if few reads found the first one busy. */
  private endSecond(second: SqliteThread): void {
    const isNeeded = this.readsOfSecond >= FEW;
    this.readsOfSecond = 0;
    if (isNeeded) return;
    this.leave(second);
    // It answers first what it was asked before.
    this.ending = second.close();
  }

  /** Leaves threads that ended or could not open the database; they would refuse all further reads. */
  private replaceEnded(): void {
    if (this.closed) return;
    for (const thread of this.threads.filter(({ isOver }) => isOver)) {
      void thread.close();
      this.leave(thread);
    }
    if (this.threads.length === 0) this.threads = [open(this.path)];
  }

  private leave(thread: SqliteThread): void {
    this.threads = this.threads.filter((other) => other !== thread);
    clearInterval(this.review);
  }
}

/** A reader that passes through millions of rows would fill the 16 MB that each connection may have by default. */
const CACHE_KB = 4000;

const open = (path: string) => {
  const thread = new SqliteThread(path, { readonly: true });
  // If opening failed, the first read reports it.
  for (const pragma of ['query_only = ON', `cache_size = -${CACHE_KB}`])
    thread.pragma(pragma).catch(() => {});
  return thread;
};

const tooMany = () =>
  Object.assign(new Error(`${MAX_WAITING} reads wait for the database.`), { code: 'SQLITE_BUSY' });
