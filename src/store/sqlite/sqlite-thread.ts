import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Statement } from '../insert.js';
import { createPrivateFile, isSqliteFile } from './sqlite-file.js';
import type {
  RowAnswer,
  ScriptAnswer,
  ScriptStep,
  SessionAnswer,
  SessionCall,
  SessionStart,
  SqliteAnswer,
} from './sqlite-session.js';

const PROGRAM = new URL(`./sqlite-session${extname(import.meta.url)}`, import.meta.url);

/** Allocations are garbage by the next batch. Without this limit the heap would grow to several times this size. */
const YOUNG_MB = 8;

/**
 * A SQLite connection in its own thread, so that a commit that waits for the disk blocks nothing else. Takes the place of
 * better-sqlite3 as TypeORM's driver; answers calls in order.
 */
export class SqliteThread {
  private readonly thread: Worker;
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private calls = 0;
  private ended: Error | null = null;
  /** Resolves when the database is open. */
  readonly opened: Promise<unknown>;

  /** @param options of better-sqlite3's constructor; `timeout` in milliseconds. */
  constructor(
    database: string,
    { timeout = 5000, readonly = false }: { timeout?: number; readonly?: boolean } = {},
  ) {
    if (!readonly && isSqliteFile(database)) createPrivateFile(database);
    const opening = this.expect();
    const workerData: SessionStart = {
      sqliteSession: { database, options: { timeout, readonly }, opening: this.calls },
    };
    this.opened = opening;
    this.opened.catch((error) => this.end(error));
    this.thread = new Worker(PROGRAM, { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } })
      .on('message', (answer: SessionAnswer) => this.take(answer))
      .on('error', (error) => this.end(error as Error))
      .on('exit', () => this.end(new Error('The database connection is not open.')));
  }

  /** How many calls are not answered yet. */
  get waitingCalls(): number {
    return this.waiting.size;
  }

  /** Whether it failed to open the database or has ended; either way it answers no more calls. */
  get isOver(): boolean {
    return this.ended !== null;
  }

  /** Resolves when all calls made so far have been answered, which happens in their order. */
  async answered(): Promise<void> {
    await [...this.waiting.values()].at(-1)?.promise.catch(() => {});
  }

  async query(sql: string, parameters: unknown[]): Promise<SqliteAnswer> {
    return withBuffers((await this.call('query', [sql, parameters])) as SqliteAnswer);
  }

  async script(steps: ScriptStep[]): Promise<ScriptAnswer> {
    const answers = (await this.call('script', [steps])) as ScriptAnswer;
    for (const answer of answers) if ('blobs' in answer) withBuffers(answer);
    return answers;
  }

  all(statements: Statement[]): Promise<SqliteAnswer[]> {
    return this.call('all', [statements]) as Promise<SqliteAnswer[]>;
  }

  each(sql: string, rows: unknown[][]): Promise<RowAnswer[]> {
    return this.call('each', [sql, rows]) as Promise<RowAnswer[]>;
  }

  pragma(sql: string): Promise<unknown> {
    return this.call('pragma', [sql]);
  }

  async abandon(): Promise<void> {
    await this.call('abandon', []);
  }

  /** Resolves when the file is closed. */
  async close(): Promise<void> {
    if (!this.ended) await this.call('close', []);
    await this.thread.terminate();
  }

  private async call(method: SessionCall['method'], args: unknown[]): Promise<unknown> {
    if (this.ended) throw this.ended;
    const message: SessionCall = { call: this.calls + 1, method, args };
    this.thread.postMessage(message);
    return this.expect();
  }

  /** The answer to the next call. A pending call keeps the process alive; an open database alone does not. */
  private expect(): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.waiting.set(++this.calls, answer);
    if (this.waiting.size === 1) this.thread?.ref();
    return answer.promise;
  }

  private take(answer: SessionAnswer): void {
    const waiting = this.waiting.get(answer.call);
    this.waiting.delete(answer.call);
    if (this.waiting.size === 0) this.thread.unref();
    if ('error' in answer) waiting?.reject(Object.assign(new Error(answer.error.message), answer.error));
    else waiting?.resolve(answer.value);
  }

  private end(error: Error): void {
    this.ended ??= error;
    for (const { reject } of this.waiting.values()) reject(this.ended);
    this.waiting.clear();
  }
}

/** Restores Buffers, which arrive from another thread as plain Uint8Arrays. */
function withBuffers(answer: SqliteAnswer): SqliteAnswer {
  for (const name of answer.blobs) {
    for (const row of (answer.rows ?? []) as Record<string, unknown>[]) {
      const bytes = row[name];
      // A blob column may hold text: SQLite does not enforce types.
      if (bytes instanceof Uint8Array)
        row[name] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
  }
  return answer;
}
