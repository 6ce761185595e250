import { type Call, withinCall } from '../common/call.js';
import { isDatabaseUnavailable } from '../common/database-error.js';
import { databaseUnavailable, Problem } from '../common/problem.js';

/** Callers learn within 5 s that the database does not answer. */
const DEADLINE_MS = 4500;
const DEADLINE = Symbol('deadline');

interface DeadlineRequest {
  [DEADLINE]?: number;
}

/**
 * Waits for a part of a call until the call's deadline, which all of its parts share. What takes so long waits for the
 * database: nothing else in a call can.
 *
 * @throws Problem 503 `database_unavailable`
 */
export async function untilDeadline<T>(
  request: object & DeadlineRequest,
  work: Promise<T>,
  refuse: () => Problem = databaseUnavailable,
): Promise<T> {
  request[DEADLINE] ??= performance.now() + DEADLINE_MS;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const left = (request[DEADLINE] ?? 0) - performance.now();
    timer = setTimeout(() => reject(refuse()), Math.max(0, left));
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Does what a call asks for, until its deadline. Where the database is away the answer says whether something may have
 * been stored; where it says that nothing was, nothing is stored later either.
 *
 * @throws Problem 503 `database_unavailable`
 */
export async function answerInTime<T>(
  request: DeadlineRequest,
  call: Call,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await untilDeadline(request, withinCall(call, work), () => call.refuse());
  } catch (error) {
    const isProblem = error instanceof Problem;
    if (isProblem ? error.code === 'database_unavailable' : isDatabaseUnavailable(error)) throw call.problem;
    throw error;
  }
}
