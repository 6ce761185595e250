import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { DataSource, DataSourceOptions } from 'typeorm';
import { createPrivateFile, isSqliteFile, makePrivate } from './sqlite-file.js';
import type { SqliteConnection } from './sqlite-session.js';

/** The database of a data source is another one's already. Its message says what is to be done. */
export class SqliteInUseError extends Error {
  constructor(path: string) {
    super(
      `The database ${path} is in use by a process that runs already, and a SQLite file has room for one. Stop that one first, or keep the webhooks in MySQL or MariaDB.`,
    );
  }
}

/** The locks of data sources that have one. */
const locks = new WeakMap<DataSource, SqliteConnection>();

/** To be asked before anything is started that would have to be explained. @throws SqliteInUseError */
export function assertSqliteFree({ database }: DataSourceOptions): void {
  if (isSqliteFile(database) && existsSync(lockOf(database))) acquire(database).close();
}

/** Connects a data source that is the only one to work on its database, as {@link lockSqlite} has it. */
export async function initializeAlone(dataSource: DataSource): Promise<DataSource> {
  const { driver } = dataSource;
  const connect = driver.connect.bind(driver);
  // Before anything is read or written, migrations included.
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
 * Keeps every other process, and every other data source of this one, from working on the SQLite file of a data source
 * until that is closed. Two that send would each take the other for dead, and send what it is sending, without end.
 *
 * The lock is an open transaction on an empty database beside the file. It is the operating system's, and ends with the
 * process, however that ends: a file that is left behind locks nothing. Does nothing on other databases, in memory, or
 * where the data source has its lock.
 *
 * @throws SqliteInUseError
 */
export function lockSqlite(dataSource: DataSource): void {
  const { options, driver } = dataSource;
  if (options.type !== 'better-sqlite3' || !isSqliteFile(options.database) || locks.has(dataSource)) return;
  const lock = acquire(options.database);
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

/** The same database may have several names. */
const lockOf = (database: string) => `${existsSync(database) ? realpathSync(database) : database}.lock`;

function acquire(database: string): SqliteConnection {
  const path = lockOf(database);
  createPrivateFile(path);
  makePrivate(path);
  const Connection = createRequire(import.meta.url)('better-sqlite3') as new (
    path: string,
    options: object,
  ) => SqliteConnection;
  const lock = new Connection(path, { timeout: 0 });
  try {
    // Nothing is ever written: no journal is to lie beside it.
    lock.pragma('journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') throw new SqliteInUseError(database);
    throw error;
  }
}
