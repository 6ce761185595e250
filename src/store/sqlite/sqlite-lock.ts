import { existsSync, realpathSync } from 'node:fs';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { loadDriver } from '../driver.js';
import { createPrivateFile, isSqliteFile, makePrivate } from './sqlite-file.js';
import type { SqliteConnection, SqliteDriver } from './sqlite-session.js';
import { SqliteThread } from './sqlite-thread.js';

/** Another data source already has this database. The message says what to do. */
export class SqliteInUseError extends Error {
  constructor(path: string) {
    super(
      `The database ${path} is in use by a process that runs already, and a SQLite file has room for one. Stop that one first, or keep the webhooks in MySQL or MariaDB.`,
    );
  }
}

/** The locks held for data sources. */
const locks = new WeakMap<DataSource, SqliteConnection>();

/** Checks early, so that a start fails with this message before it does anything else. @throws SqliteInUseError */
export function assertSqliteFree({ database }: DataSourceOptions): void {
  if (isSqliteFile(database) && existsSync(lockOf(database))) acquire(database).close();
}

/** Connects a data source and locks its database with {@link lockSqlite}. */
export async function initializeAlone(dataSource: DataSource): Promise<DataSource> {
  const { driver } = dataSource;
  const connect = driver.connect.bind(driver);
  // Lock before anything is read or written, migrations included.
  driver.connect = async () => {
    await connect();
    try {
      lockSqlite(dataSource);
    } catch (error) {
      await driver.disconnect();
      throw error;
    }
  };
  return dataSource.initialize();
}

/**
 * Keeps other processes, and other data sources of this process, from using a data source's SQLite file until it is closed.
 * Two services on one file would each take the other for dead and keep sending its deliveries again.
 *
 * The lock is an open transaction on an empty database beside the file. The operating system releases it when the process
 * ends, however it ends, so a lock file left behind locks nothing. Does nothing on other databases, in memory, or if the
 * data source already holds its lock.
 *
 * @throws SqliteInUseError
 */
export function lockSqlite(dataSource: DataSource): void {
  const { options, driver } = dataSource;
  if (options.type !== 'better-sqlite3' || !isSqliteFile(options.database) || locks.has(dataSource)) return;
  const { sqlite } = driver as unknown as { sqlite: SqliteDriver | typeof SqliteThread };
  const lock = acquire(options.database, sqlite === SqliteThread ? undefined : (sqlite as SqliteDriver));
  locks.set(dataSource, lock);
  const disconnect = driver.disconnect.bind(driver);
  driver.disconnect = async () => {
    driver.disconnect = disconnect;
    try {
      await disconnect();
    } finally {
      locks.delete(dataSource);
      lock.close();
    }
  };
}

/** The lock file's path. Symbolic links are resolved: one database may have several names. */
const lockOf = (database: string) => `${existsSync(database) ? realpathSync(database) : database}.lock`;

/** @param Connection a host's own better-sqlite3, which may be another version than ours. @default ours */
function acquire(
  database: string,
  Connection = loadDriver('sqlite-driver') as SqliteDriver,
): SqliteConnection {
  const path = lockOf(database);
  createPrivateFile(path);
  makePrivate(path);
  const lock = new Connection(path, { timeout: 0 });
  try {
    // Nothing is ever written, so no journal file is needed.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') throw new SqliteInUseError(database);
    throw error;
  }
}
