import type { SqliteAnswer } from './sqlite-session.js';
import { SqliteThread } from './sqlite-thread.js';

/** While one runs a slow read, the other goes on. More would take processor time from deliveries. */
const THREADS = 2;
/** When this many reads wait, further ones are refused: they would not be answered in time. */
const MAX_WAITING = 1000;

/**
 * Read-only connections, each in its own thread, that read committed data while another connection writes: lists neither
 * wait for commits nor delay them.
 */
export class SqliteReaders {
  private readonly threads: SqliteThread[];
  private closed = false;

  private constructor(private readonly path: string) {
    this.threads = Array.from({ length: THREADS }, () => open(path));
  }

  /** @returns null if the database cannot be read while it is being written. */
  static async beside(writer: SqliteThread, path: string): Promise<SqliteReaders | null> {
    // Answered after everything the writer was asked before, which may include a change of the mode.
    const [mode] = (await writer.pragma('journal_mode')) as { journal_mode: string }[];
    if (mode?.journal_mode !== 'wal') return null;
    return new SqliteReaders(path);
  }

  query(sql: string, parameters: unknown[]): Promise<SqliteAnswer> {
    this.replaceEnded();
    const thread = this.threads.reduce((one, other) => (other.waitingCalls < one.waitingCalls ? other : one));
    if (thread.waitingCalls >= MAX_WAITING / THREADS) throw tooMany();
    return thread.query(sql, parameters);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  /** Replaces threads that ended or could not open the database; they would refuse all further reads. */
  private replaceEnded(): void {
    if (this.closed) return;
    for (const [index, thread] of this.threads.entries()) {
      if (!thread.isOver) continue;
      void thread.close();
      this.threads[index] = open(this.path);
    }
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
