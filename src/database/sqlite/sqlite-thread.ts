import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
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

/** What it allocates dies with the next batch; left alone, its heap would grow by several times this much. */
const YOUNG_MB = 8;

/**
 * A SQLite connection in a thread of its own: a commit waits for the disk, and nothing else in the process may wait
 * for it. Stands in for better-sqlite3 as TypeORM's driver; calls are answered in their order.
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

  /** Those that are not answered yet. */
  get waitingCalls(): number {
    return this.waiting.size;
  }

  /** Whether it could not open the database, or has ended: it answers nothing any more. */
  get isOver(): boolean {
    return this.ended !== null;
  }

  async query(sql: string, parameters: unknown[]): Promise<SqliteAnswer> {
    return withBuffers((await this.call('query', [sql, parameters])) as SqliteAnswer);
  }

  async script(steps: ScriptStep[]): Promise<ScriptAnswer> {
    const answers = (await this.call('script', [steps])) as ScriptAnswer;
    for (const answer of answers) if ('blobs' in answer) withBuffers(answer);
    return answers;
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

  /** The answer to the next call. While one is awaited the process stays; an open database alone does not keep it. */
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

/** Between threads a Buffer becomes a plain array of bytes. */
function withBuffers(answer: SqliteAnswer): SqliteAnswer {
  for (const name of answer.blobs) {
    for (const row of (answer.rows ?? []) as Record<string, unknown>[]) {
      const bytes = row[name];
      // SQLite keeps text in a column of bytes where it is given some.
      if (bytes instanceof Uint8Array)
        row[name] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
  }
  return answer;
}
