import type { SqliteAnswer } from './sqlite-session.js';
import { SqliteThread } from './sqlite-thread.js';

/** A slow read holds up one of them, and the others go on. More would take the processor from those who send. */
const THREADS = 2;
/** Past so many that wait, reading is refused: they would not be answered in time. */
const MAX_WAITING = 1000;

/**
 * Connections that read what is committed while another one writes, each in a thread of its own: nobody who looks at a
 * list waits for a commit, or holds one up.
 */
export class SqliteReaders {
  private readonly threads: SqliteThread[];
  private closed = false;

  private constructor(private readonly path: string) {
    this.threads = Array.from({ length: THREADS }, () => open(path));
  }

  /** @returns null where the database cannot be read while it is written. */
  static async beside(writer: SqliteThread, path: string): Promise<SqliteReaders | null> {
    // Answered when all that was asked of the writer before is done: it may just be changing its mode.
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

  /** One that has ended, or could not open the database at that moment, would refuse whatever is read from then on. */
  private replaceEnded(): void {
    if (this.closed) return;
    for (const [index, thread] of this.threads.entries()) {
      if (!thread.isOver) continue;
      void thread.close();
      this.threads[index] = open(this.path);
    }
  }
}

const open = (path: string) => {
  const thread = new SqliteThread(path, { readonly: true });
  // What is wrong with it the first read says.
  thread.pragma('query_only = ON').catch(() => {});
  return thread;
};

const tooMany = () =>
  Object.assign(new Error(`${MAX_WAITING} reads wait for the database.`), { code: 'SQLITE_BUSY' });
