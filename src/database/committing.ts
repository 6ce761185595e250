import type { EntityManager } from 'typeorm';
import { currentCall } from '../common/call.js';
import { isAnswered, OutcomeUnknownError } from '../common/database-error.js';

type Work<T> = (manager: EntityManager) => Promise<T>;

/**
 * Tells what is known of a transaction's end: to the call that it belongs to, and by the error. Of a call that has been
 * refused meanwhile, nothing is committed.
 *
 * @param run runs the work inside a transaction, and commits it.
 * @throws OutcomeUnknownError where the commit was not answered
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
    const failure = isAnswered(error) ? error : new OutcomeUnknownError(error);
    call?.end(failure);
    throw failure;
  }
}
