import type { DataSource } from 'typeorm';
import { sqliteAlone, sqlitePragma } from './sqlite-serial.js';

/** How long a checkpoint waits for reads, while writes wait for it. */
const WAIT_MS = 20;

/**
 * Overwrites with zeros what is deleted from now on. Not only what is erased: a table that grows moves rows, too, and would
 * leave copies of them where nothing finds them later.
 */
export const overwriteDeleted = (dataSource: DataSource): Promise<unknown> =>
  sqlitePragma(dataSource, 'secure_delete = ON');

/**
 * Empties the journal, which holds earlier versions of changed pages.
 *
 * @returns false if a read of an earlier state of the database needs it still.
 */
export const emptyJournal = (dataSource: DataSource): Promise<boolean> =>
  sqliteAlone(dataSource, async (session) => {
    const [before] = (await session.pragma('busy_timeout')) as { timeout: number }[];
    await session.pragma(`busy_timeout = ${WAIT_MS}`);
    try {
      const [end] = (await session.pragma('wal_checkpoint(TRUNCATE)')) as { busy: number }[];
      return end?.busy === 0;
    } finally {
      await session.pragma(`busy_timeout = ${before?.timeout ?? 0}`);
    }
  });
