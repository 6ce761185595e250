import { databaseUnavailable } from './problem.js';

/** Callers learn within 5 s that the database does not answer. */
const DEADLINE_MS = 4500;
const DEADLINE = Symbol('deadline');

/**
 * Waits for a part of a call until the call's deadline, which all of its parts share. What takes so long waits for the
 * database: nothing else in a call can.
 *
 * @throws Problem 503 `database_unavailable`
 */
export async function untilDeadline<T>(request: { [DEADLINE]?: number }, work: Promise<T>): Promise<T> {
  request[DEADLINE] ??= performance.now() + DEADLINE_MS;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(databaseUnavailable()), (request[DEADLINE] ?? 0) - performance.now());
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
