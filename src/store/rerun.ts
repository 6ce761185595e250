import { setTimeout as pause } from 'node:timers/promises';
import { isLostRace } from '../platform/database-error.js';
import { withoutStatement } from '../platform/without-statement.js';

const MAX_RUNS = 8;
/** Milliseconds: the longest pause before the third run; each one after may last twice as long. */
const RUN_AGAIN_MS = 8;

/**
 * Runs a transaction, or a statement that is one by itself, again, up to 8 times in all, when it loses a deadlock: at once, and
 * then after pauses of random lengths, as those who write to the same row from several nodes would otherwise meet again.
 */
export async function rerun<T>(work: () => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await work();
    } catch (error) {
      if (run === MAX_RUNS || !isLostRace(error)) throw withoutStatement(error);
    }
    if (run > 1) await pause(Math.random() * RUN_AGAIN_MS * 2 ** (run - 2));
  }
}
