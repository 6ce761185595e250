import type { DataSource, QueryRunner } from 'typeorm';
import { isLockTimeout } from '../../platform/database-error.js';
import type { Database } from '../database.js';
import { connectInTime } from '../own-manager.js';

/** A row of its own among the locks, which are numbered from 0 to 255. */
const ROW = 1_000_000;
/** How long the second connection may take: the first one is kept meanwhile, and a start waits for both. */
const OTHER_MS = 1000;
const READ = `SELECT number FROM webhook_lock WHERE number = ${ROW}`;
const LOCK = `${READ} FOR UPDATE SKIP LOCKED`;

/**
 * Whether a second connection skips what the first has locked, or is let through, or has to wait. Some databases take the
 * words SKIP LOCKED and ignore them. Another process may ask at the same time.
 *
 * @returns null if the pool has only one connection, or the row cannot be written.
 * @throws the errors of the database.
 */
export async function skipsLocked(database: Database): Promise<boolean | null> {
  if (connectionLimitOf(database.dataSource) === 1) return null;
  if ((await database.query<unknown[]>(READ)).length === 0)
    await database.query(`INSERT IGNORE INTO webhook_lock (number, uses) VALUES (${ROW}, 0)`);
  return database.transaction(async (manager) => {
    const locked = await database.query<unknown[]>(LOCK, [], manager);
    // Another process has it locked, and was skipped.
    if (locked.length === 0) return true;
    return apart(database.dataSource, (other) => isSkipped(database, other));
  });
}

async function isSkipped(database: Database, other: QueryRunner): Promise<boolean> {
  await other.query('SET SESSION innodb_lock_wait_timeout = 1');
  try {
    const found = await database.query<unknown[]>(LOCK, [], other.manager);
    return found.length === 0;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

/** Runs `probe` on a connection that is destroyed afterwards, as it has another timeout than the pool's. */
async function apart<T>(dataSource: DataSource, probe: (runner: QueryRunner) => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const connection = await connectInTime<{ destroy(): void }>(runner, OTHER_MS);
  try {
    return await probe(runner);
  } finally {
    connection.destroy();
    await runner.release();
  }
}

const connectionLimitOf = ({ driver }: DataSource) =>
  (driver as { pool?: { config: { connectionLimit: number } } }).pool?.config.connectionLimit;
