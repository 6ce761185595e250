import { AsyncLocalStorage } from 'node:async_hooks';
import { OutcomeUnknownError } from './database-error.js';
import { databaseUnavailable, outcomeUnknown, type Problem } from './problem.js';

/**
 * How long a call may wait, in milliseconds. Leaves 0.5 s of the 5 s within which callers learn that the database does not
 * answer. Tests set another time, as a busy machine may keep any call waiting for this long.
 */
export const callDeadline = { ms: 4500 };

/**
 * A call with a deadline; at the deadline it is refused, and the answer depends on how far it got:
 *
 *   waiting ──refused──► withdrawn: nothing is stored, now or later
 *   waiting ──handed over──► at the database ──refused──► may have been stored
 *                                             ──stored──► waiting, with something stored
 *                                             ──not stored──► waiting
 */
export class Call {
  private refused = false;
  private mayBeStored = false;
  private atDatabase = 0;
  private withdraw: (() => void) | null = null;

  /** Registers a part that waits in a queue. @param withdraw removes it; called if the call is refused first. */
  wait(withdraw: () => void): void {
    if (this.refused) withdraw();
    else this.withdraw = withdraw;
  }

  /**
   * Marks the point after which it may be stored. @throws Problem 503 if the call was refused; nothing may be stored
   * then.
   */
  handOver(): void {
    if (this.refused) throw databaseUnavailable();
    this.withdraw = null;
    this.atDatabase++;
  }

  /** A part that was handed over has finished. @param error the reason that it is not stored, or may not be. */
  end(error?: unknown): void {
    this.atDatabase--;
    if (error === undefined || error instanceof OutcomeUnknownError) this.mayBeStored = true;
  }

  /** The answer to the caller while the database is unavailable. */
  get problem(): Problem {
    return this.mayBeStored || this.atDatabase > 0 ? outcomeUnknown() : databaseUnavailable();
  }

  /** @returns the problem to answer with. */
  refuse(): Problem {
    this.refused = true;
    this.withdraw?.();
    this.withdraw = null;
    return this.problem;
  }
}

const calls = new AsyncLocalStorage<Call | null>();

export const withinCall = <T>(call: Call, work: () => T): T => calls.run(call, work);

/** Runs work that a call starts but does not wait for, so that the call's deadline does not apply to it. */
export const outsideOfCalls = <T>(work: () => T): T =>
  currentCall() === null ? work() : calls.run(null, work);

/** The current call; null in background work. */
export const currentCall = (): Call | null => calls.getStore() ?? null;
