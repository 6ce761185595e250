import { chmodSync, closeSync, openSync } from 'node:fs';

/** SQLite gives its journals the mode of the database. */
const OWNER_ONLY = 0o600;

/** Whether this is the path of a file, and no database in memory or a temporary one. */
export const isSqliteFile = (database: unknown): database is string =>
  typeof database === 'string' && database !== '' && database !== ':memory:';

/**
 * Makes a file that only its owner can read, before SQLite does it with the mode that everybody's files have. One that is
 * there is not opened: closing it again would end the locks that this process has on it.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    // It is there, or cannot be made: SQLite says better why.
  }
}

/** Takes a database that was there already from everybody but its owner, its journals included. */
export function makePrivate(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      chmodSync(path + suffix, OWNER_ONLY);
    } catch {
      // Not there, or somebody else's to decide on.
    }
  }
}
