import { AsyncLocalStorage } from 'node:async_hooks';
import { OutcomeUnknownError } from './database-error.js';
import { databaseUnavailable, outcomeUnknown, type Problem } from './problem.js';

/**
 * A call with a deadline, at which it is refused. What it is told then depends on how far it has come:
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

  /** Something of it waits for its turn. @param withdraw takes it back; called when the call is refused before that. */
  wait(withdraw: () => void): void {
    if (this.refused) withdraw();
    else this.withdraw = withdraw;
  }

  /** From here on it may be stored. @throws Problem 503 where it has been refused: then nothing may be stored any more. */
  handOver(): void {
    if (this.refused) throw databaseUnavailable();
    this.withdraw = null;
    this.atDatabase++;
  }

  /** What was handed over has come to its end. @param error why it is not stored, or not known to be. */
  end(error?: unknown): void {
    this.atDatabase--;
    if (error === undefined || error instanceof OutcomeUnknownError) this.mayBeStored = true;
  }

  /** What its caller is told where the database is away. */
  get problem(): Problem {
    return this.mayBeStored || this.atDatabase > 0 ? outcomeUnknown() : databaseUnavailable();
  }

  /** @returns what to tell its caller. */
  refuse(): Problem {
    this.refused = true;
    this.withdraw?.();
    this.withdraw = null;
    return this.problem;
  }
}

const calls = new AsyncLocalStorage<Call | null>();

export const withinCall = <T>(call: Call, work: () => T): T => calls.run(call, work);

/** For what a call sets off and does not wait for: its deadline does not hold for that. */
export const outsideOfCalls = <T>(work: () => T): T => calls.run(null, work);

/** The call that is being answered; null in what runs by itself. */
export const currentCall = (): Call | null => calls.getStore() ?? null;
