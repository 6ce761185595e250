import { Logger } from '@nestjs/common';
import { settledInTime } from '../../platform/settled-in-time.js';
import type { Database } from '../database.js';
import { readServerFacts } from './server-facts.js';
import { judgeServer, LOCKED_NOT_SKIPPED } from './server-judgement.js';
import { skipsLocked } from './skip-locked.js';
import { limitStatements } from './statement-size.js';

/** How long a start waits for the check. What is found later is logged all the same. */
const WAIT_MS = 2000;

/** Thrown at the start if the service cannot work on the database server. */
export class UnsuitableServerError extends Error {
  constructor(reasons: string[]) {
    super(reasons.map((reason) => `The database server cannot be used: it ${reason}`).join('\n'));
  }
}

/**
 * Checks the MySQL or MariaDB server, and logs what is unsafe there. What cannot be read is not judged; SQLite has nothing
 * to check.
 *
 * @throws UnsuitableServerError
 */
export async function checkServer(database: Database): Promise<void> {
  if (database.isFile) return;
  const logger = new Logger('Database');
  let failure: Error | null = null;
  let isLate = false;
  const checked = check(database, (warning) => logger.warn(`The database server ${warning}`)).catch(
    (error: Error) => {
      if (isLate) logger.error(error.message);
      else failure = error;
    },
  );
  await settledInTime(checked, WAIT_MS);
  isLate = true;
  if (failure) throw failure;
}

async function check(database: Database, warn: (warning: string) => void): Promise<void> {
  const facts = await readServerFacts(database);
  limitStatements(database.dataSource, Number(facts.variables.get('max_allowed_packet')));
  const { refusals, warnings } = judgeServer(facts);
  for (const warning of warnings) warn(warning);
  if (refusals.length > 0) throw new UnsuitableServerError(refusals);
  if ((await skipsLocked(database).catch(() => null)) === false) warn(LOCKED_NOT_SKIPPED);
}
