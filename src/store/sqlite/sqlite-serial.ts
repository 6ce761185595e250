import { setImmediate } from 'node:timers/promises';
import type { DataSource, QueryRunner } from 'typeorm';
import type { Statement } from '../insert.js';
import { ownQuery } from '../own-manager.js';
import { knowInside, noteOpen } from './open-transaction.js';
import { isSqliteFile } from './sqlite-file.js';
import { SqliteJournal } from './sqlite-journal.js';
import { SqliteMutex } from './sqlite-mutex.js';
import { SqliteReaders } from './sqlite-readers.js';
import { type SqliteAnswer, type SqliteConnection, SqliteSession } from './sqlite-session.js';
import { SqliteThread } from './sqlite-thread.js';
import { type QueryArguments, queryThread } from './sqlite-thread-query.js';

const mutexes = new WeakMap<DataSource, SqliteMutex>();
const sessions = new WeakMap<object, SqliteSession | SqliteThread>();
const readers = new WeakMap<SqliteThread, Promise<SqliteReaders | null>>();

/** Statements that can run beside a write; all others wait for each other. */
const READ = /^\s*SELECT\b/i;

/** The connection of a data source: in its own thread or, if the host opened it, in this one. */
function sqliteSession({ driver }: DataSource): SqliteSession | SqliteThread {
  const { databaseConnection } = driver as unknown as { databaseConnection: SqliteConnection | SqliteThread };
  if (databaseConnection instanceof SqliteThread) return databaseConnection;
  const session = sessions.get(databaseConnection) ?? new SqliteSession(databaseConnection);
  sessions.set(databaseConnection, session);
  return session;
}

/** The read-only connections of a data source; null if it can have none, in memory or when the host opened it. */
async function sqliteReaders(dataSource: DataSource): Promise<SqliteReaders | null> {
  const session = sqliteSession(dataSource);
  const { database } = dataSource.options;
  if (!(session instanceof SqliteThread) || !isSqliteFile(database)) return null;
  const before = readers.get(session);
  if (before) return before;
  const opened = SqliteReaders.beside(session, database);
  readers.set(session, opened);
  // Try again on the next read.
  opened.catch(() => readers.delete(session));
  return opened;
}

/** Runs one statement for each row, inside the open transaction. */
export async function sqliteEach(dataSource: DataSource, sql: string, rows: unknown[][]): Promise<void> {
  const session = sqliteSession(dataSource);
  const mutex = mutexes.get(dataSource);
  if (mutex) mutex.steps++;
  await session.each(sql, rows);
  // This connection runs on the main thread and just blocked the event loop: yield before the next part.
  if (session instanceof SqliteSession) await setImmediate();
}

/** Runs statements inside the open transaction, in one message to the thread. */
export async function sqliteAll(dataSource: DataSource, statements: Statement[]): Promise<SqliteAnswer[]> {
  const mutex = mutexes.get(dataSource);
  if (mutex) mutex.steps++;
  return sqliteSession(dataSource).all(statements);
}

/** Gives `work` the connection to itself, outside of a transaction. */
export async function sqliteAlone<T>(
  dataSource: DataSource,
  work: (session: SqliteSession | SqliteThread) => Promise<T>,
): Promise<T> {
  const end = await mutexes.get(dataSource)?.acquire();
  try {
    return await work(sqliteSession(dataSource));
  } finally {
    end?.();
  }
}

/** Runs a PRAGMA on the writing connection to its end: as a plain query it would stop at its first row. */
export function sqlitePragma(dataSource: DataSource, sql: string): Promise<unknown> {
  return sqliteAlone(dataSource, async (session) => session.pragma(sql));
}

/**
 * Works around TypeORM's SQLite driver, which runs everything on one connection and one query runner: a write made while
 * another caller's transaction is open joins that transaction, and is lost without an error when it rolls back.
 *
 * Afterwards each unit of work (a transaction, or a query outside of one) gets its own query runner and has the connection
 * to itself. A query on the plain data source inside a transaction's callback therefore waits for that transaction, as it
 * would on any database that holds a lock: use the callback's manager. A SELECT outside of a transaction does not wait if
 * the connection has its own thread: read-only connections answer it with committed data.
 *
 * Does nothing on other databases or when called again.
 */
export function serialiseSqlite(dataSource: DataSource): void {
  if (dataSource.options.type !== 'better-sqlite3' || mutexes.has(dataSource)) return;
  const { driver } = dataSource;
  const shared = driver.createQueryRunner('master') as SqliteRunner;
  const mutex = new SqliteMutex(() => isRunning(dataSource));
  mutexes.set(dataSource, mutex);
  knowInside(dataSource.manager);
  const createManager = dataSource.createEntityManager.bind(dataSource);
  dataSource.createEntityManager = (runner) => knowInside(createManager(runner));
  const journal = new SqliteJournal(String(dataSource.options.database), (sql) => ownQuery(dataSource, sql));
  driver.createQueryRunner = () => lockedRunner(dataSource, shared, mutex, journal);
  const disconnect = driver.disconnect.bind(driver);
  // TypeORM does not wait for the thread to close the file.
  driver.disconnect = async () => {
    const session = sqliteSession(dataSource);
    if (!(session instanceof SqliteThread)) return disconnect();
    // The last connection to close writes the journal back into the database, which readers may not do.
    await (await readers.get(session)?.catch(() => null))?.close();
    await session.close();
  };
}

/** Waits for the end of a transaction of the data source that the caller is in. @throws OwnTransactionError if that waits for it */
export const outsideOfOwn = (dataSource: DataSource) => mutexes.get(dataSource)?.outsideOfOwn();

/** Statements of a connection in this thread end before anybody can ask. */
function isRunning(dataSource: DataSource): boolean {
  const session = sqliteSession(dataSource);
  return session instanceof SqliteThread && session.waitingCalls > 0;
}

interface SqliteRunner extends QueryRunner {
  driver: unknown;
  stmtCache: unknown;
  transactionDepth: number;
}

/** A query runner that waits for the others; it shares the given runner's connection and statement cache. */
function lockedRunner(
  dataSource: DataSource,
  shared: SqliteRunner,
  mutex: SqliteMutex,
  journal: SqliteJournal,
): QueryRunner {
  const Runner = shared.constructor as new (driver: unknown) => SqliteRunner;
  const runner = new Runner(shared.driver);
  const queryHere = runner.query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
  const own = {
    query(...args: unknown[]): Promise<unknown> {
      const session = sqliteSession(dataSource);
      return session instanceof SqliteThread
        ? queryThread(session, runner, ...(args as QueryArguments))
        : queryHere(...args);
    },
    startTransaction: runner.startTransaction.bind(runner),
    commitTransaction: runner.commitTransaction.bind(runner),
    rollbackTransaction: runner.rollbackTransaction.bind(runner),
    release: runner.release.bind(runner),
  };
  let unlock: (() => void) | undefined;

  function finish(): void {
    if (runner.isTransactionActive) return;
    unlock?.();
    unlock = undefined;
    noteOpen(runner, undefined);
  }

  /** Releases the connection after a BEGIN or COMMIT that failed or was forgotten, so that nothing waits forever. */
  async function abandon(): Promise<void> {
    if (!unlock) return;
    await sqliteSession(dataSource).abandon();
    Object.assign(runner, { isTransactionActive: false, transactionDepth: 0 });
    finish();
  }

  return Object.assign(runner, {
    stmtCache: shared.stmtCache,

    async query(...args: unknown[]) {
      if (unlock) {
        mutex.steps++;
        return own.query(...args);
      }
      const reading = READ.test(args[0] as string) ? await sqliteReaders(dataSource) : null;
      if (reading) {
        journal.read();
        return queryThread(reading, runner, ...(args as QueryArguments));
      }
      const end = await mutex.acquire();
      try {
        return await own.query(...args);
      } finally {
        end();
      }
    },
    async startTransaction(...args: Parameters<QueryRunner['startTransaction']>) {
      const outermost = !unlock;
      if (outermost) {
        const { transaction, release } = await mutex.begin();
        unlock = release;
        noteOpen(runner, transaction);
      }
      try {
        await own.startTransaction(...args);
      } catch (error) {
        if (outermost) await abandon();
        throw error;
      }
    },
    async commitTransaction() {
      await own.commitTransaction();
      finish();
    },
    async rollbackTransaction() {
      await own.rollbackTransaction();
      finish();
    },
    async release() {
      await abandon();
      await own.release();
    },
  });
}
