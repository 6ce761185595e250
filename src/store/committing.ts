import type { EntityManager } from 'typeorm';
import { currentCall } from '../platform/call.js';
import { isNotCommitted, OutcomeUnknownError } from '../platform/database-error.js';

type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * Reports the outcome of a transaction to the call it belongs to, and through the error. Commits nothing for a call that
 * was refused in the meantime.
 *
 * @param run runs the work inside a transaction and commits it.
 * @throws OutcomeUnknownError when the commit got no answer
 */
export async function committing<T>(work: Work<T>, run: (inside: Work<T>) => Promise<T>): Promise<T> {
  const call = currentCall();
  let isCommitting = false;
  try {
    const result = await run(async (manager) => {
      const done = await work(manager);
      call?.handOver();
      isCommitting = true;
      return done;
    });
    call?.end();
    return result;
  } catch (error) {
    if (!isCommitting) throw error;
    const failure = isNotCommitted(error) ? error : new OutcomeUnknownError(error);
    call?.end(failure);
    throw failure;
  }
}

/** The same for a single statement, which commits by itself: a transaction would add two round trips. */
export function committingAlone(manager: EntityManager, work: Work<void>): Promise<void> {
  return committing(
    async () => {},
    async (inside) => {
      await inside(manager);
      await work(manager);
    },
  );
}
