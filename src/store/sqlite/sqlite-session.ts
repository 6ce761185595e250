import { createRequire } from 'node:module';
import { isMainThread, type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Statement } from '../insert.js';

/** The part of better-sqlite3's interface that is used here. */
export interface SqliteConnection {
  readonly inTransaction: boolean;
  prepare(sql: string): SqliteStatement;
  pragma(sql: string): unknown;
  exec(sql: string): unknown;
  close(): unknown;
}

/** The class that better-sqlite3 exports; the package has no types of its own. `timeout` is in milliseconds. */
export type SqliteDriver = new (
  path: string,
  options: { timeout?: number; readonly?: boolean },
) => SqliteConnection;

interface SqliteStatement {
  readonly reader: boolean;
  all(...parameters: unknown[]): unknown[];
  get(...parameters: unknown[]): unknown;
  run(...parameters: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  columns(): { name: string; type: string | null }[];
}

interface Prepared {
  statement: SqliteStatement;
  blobs: string[];
}

/** The `rows` of a statement that returns any, otherwise what it changed; `blobs` names the columns that hold bytes. */
export interface SqliteAnswer {
  rows: unknown[] | null;
  blobs: string[];
  changes: number;
  lastInsertRowid: number | bigint;
}

/** A result of {@link SqliteSession.each}: how many rows the statement changed, or the row it returned. */
export type RowAnswer<T = unknown> = number | T | undefined;

/**
 * A step of {@link SqliteSession.script}: either one statement, or one statement run for each of many rows. `changedBy`
 * is the index of an earlier step; rows with which that step changed nothing are skipped. With `mustChange`, a row that
 * changes nothing undoes the whole script: it then throws an error with the code {@link ROW_UNCHANGED}. With `ifChanged`, a
 * statement is left out if the step before changed nothing.
 */
export type ScriptStep =
  | { sql: string; rows: unknown[][]; changedBy?: number; mustChange?: boolean }
  | (Statement & { ifChanged?: boolean });

/** The results of the steps, in their order. */
export type ScriptAnswer = (RowAnswer[] | SqliteAnswer)[];

/** The code of the error of a script that was undone. */
export const ROW_UNCHANGED = 'ROW_UNCHANGED';

/** A prepared statement takes 30 to 60 KB, outside of the heap, where no collection sees it. */
const MAX_PREPARED = 200;

/** One connection to a SQLite database, and its prepared statements. */
export class SqliteSession {
  private readonly prepared = new LRUCache<string, Prepared>({ max: MAX_PREPARED });
  /** Texts that came once. TypeORM writes numbers into them, such as the time, and so most never come again. */
  private readonly once = new LRUCache<string, true>({ max: MAX_PREPARED });

  private readonly connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.connection = connection;
  }

  query(sql: string, parameters: unknown[]): SqliteAnswer {
    const { statement, blobs } = this.prepare(sql);
    if (statement.reader) {
      return { rows: statement.all(...parameters), blobs, changes: 0, lastInsertRowid: 0 };
    }
    return { rows: null, blobs, ...statement.run(...parameters) };
  }

  /** Runs one statement for each row: several times faster than one statement that takes all rows as JSON. */
  each(sql: string, rows: unknown[][]): RowAnswer[] {
    const { statement } = this.prepare(sql);
    return statement.reader
      ? rows.map((row) => statement.get(...row))
      : rows.map((row) => statement.run(...row).changes);
  }

  /** Runs statements up to the first that fails, inside the open transaction. */
  all(statements: Statement[]): SqliteAnswer[] {
    return statements.map(({ sql, parameters }) => this.query(sql, parameters));
  }

  /** Runs the steps as one transaction. */
  script(steps: ScriptStep[]): ScriptAnswer {
    const answers: ScriptAnswer = [];
    this.query('BEGIN IMMEDIATE', []);
    try {
      for (const step of steps) answers.push(this.take(step, answers));
      this.query('COMMIT', []);
    } catch (error) {
      this.abandon();
      throw error;
    }
    return answers;
  }

  pragma(sql: string): unknown {
    return this.connection.pragma(sql);
  }

  /** Rolls back a transaction that was left open. */
  abandon(): void {
    if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
  }

  close(): void {
    this.connection.close();
  }

  private take(step: ScriptStep, answers: ScriptAnswer): ScriptAnswer[number] {
    if ('parameters' in step) {
      const before = step.ifChanged ? (answers.at(-1) as SqliteAnswer) : null;
      return before?.changes === 0 ? before : this.query(step.sql, step.parameters);
    }
    const { sql, rows, changedBy, mustChange } = step;
    const earlier = changedBy === undefined ? null : (answers[changedBy] as RowAnswer[]);
    const answer = this.each(sql, earlier ? rows.filter((_, index) => earlier[index] !== 0) : rows);
    if (mustChange && answer.includes(0)) throw unchanged();
    return answer;
  }

  private prepare(sql: string): Prepared {
    let prepared = this.prepared.get(sql);
    if (!prepared) {
      const statement = this.connection.prepare(sql);
      const columns = statement.reader ? statement.columns() : [];
      const blobs = columns.filter(({ type }) => type?.toLowerCase() === 'blob').map(({ name }) => name);
      prepared = { statement, blobs };
      // What is kept grows old, and is freed long after it was left by a collection of the old generation.
      if (this.once.delete(sql)) this.prepared.set(sql, prepared);
      else this.once.set(sql, true);
    }
    return prepared;
  }
}

const unchanged = () => Object.assign(new Error('A row changed nothing.'), { code: ROW_UNCHANGED });

/** A call of a session's method from another thread. */
export interface SessionCall {
  call: number;
  method: 'query' | 'each' | 'all' | 'script' | 'pragma' | 'abandon' | 'close';
  args: unknown[];
}

/** The answer to a {@link SessionCall}: a value, or an error's message and code. */
export type SessionAnswer =
  | { call: number; value: unknown }
  | { call: number; error: { message: string; code?: string } };

/** A thread's start data; the result of opening the database answers call number `opening`. */
export interface SessionStart {
  sqliteSession: { database: string; options: object; opening: number };
}

function serve(port: MessagePort, { sqliteSession }: SessionStart): void {
  const { database, options, opening } = sqliteSession;
  let session: SqliteSession | undefined;
  const answer = (call: number, run: () => unknown) => {
    let message: SessionAnswer;
    try {
      message = { call, value: run() };
    } catch (error) {
      const { message: text, code } = error as Error & { code?: string };
      message = { call, error: code === undefined ? { message: text } : { message: text, code } };
    }
    port.postMessage(message);
  };
  // Under the tests this file runs as source, so it imports packages only. The data source has found the driver before.
  const require = createRequire(import.meta.url);
  const Connection = require('sqlite-driver') as SqliteDriver;
  answer(opening, () => {
    session = new SqliteSession(new Connection(database, options));
  });
  port.on('message', ({ call, method, args }: SessionCall) => {
    answer(call, () => {
      if (!session) {
        if (method === 'close') return undefined;
        throw new Error('The database connection is not open.');
      }
      return (session[method] as (...args: unknown[]) => unknown)(...args);
    });
    if (method === 'close') port.close();
  });
}

// This file is also the entry point of the thread, so it is found both as source and after the build.
const start = workerData as SessionStart | null;
if (!isMainThread && parentPort && start?.sqliteSession) serve(parentPort, start);
