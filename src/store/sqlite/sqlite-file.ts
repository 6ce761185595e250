import { chmodSync, closeSync, openSync } from 'node:fs';

/** SQLite gives its journals the same mode as the database. */
const OWNER_ONLY = 0o600;

/** Whether this is the path of a file, not an in-memory or temporary database. */
export const isSqliteFile = (database: unknown): database is string =>
  typeof database === 'string' && database !== '' && database !== ':memory:';

/**
 * Creates a file that only its owner can read, before SQLite creates it with the default mode. An existing file is not
 * opened: closing it would release the locks that this process holds on it.
 */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
  } catch {
    // It exists or cannot be created; SQLite's own error is clearer.
  }
}

/** Restricts an existing database and its journals to their owner. */
export function makePrivate(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    try {
      chmodSync(path + suffix, OWNER_ONLY);
    } catch {
      // It does not exist, or belongs to another user.
    }
  }
}
