import type { Logger } from '@nestjs/common';

/** Work that repeats by time in the background, one step after another. {@link Jobs} runs it. */
export interface Job {
  /** Tells of the steps that fail. */
  logger: Logger;
  /** Logged before the reason when a step fails. */
  failure: string;
  /**
   * Which processes take its steps:
   * - `sending`: those that send, from when they are in the list of living instances.
   * - `sending or woken`: these, and any other one whenever it is woken, but there not by time.
   * - `everywhere`: all. One that does not send is woken for its first step.
   */
  runs: 'sending' | 'sending or woken' | 'everywhere';
  /** Milliseconds from when this process sends to the first step; null if that waits to be woken. */
  firstAfterMs: number | null;
  /** Milliseconds from a step that failed to the next one. */
  againAfterErrorMs: number;
  /** @returns milliseconds to the next step; null if that waits to be woken. */
  step(): Promise<number | null>;
  /** Resolves when all that steps began, and did not wait for, has ended. A stop waits for it. */
  settled?(): Promise<unknown>;
}

/** What a job asks of its runner. */
export interface JobHandle {
  /** A long step checks this, and ends early. */
  readonly isStopping: boolean;
  /** Lets a step come at once, or after the one under way. Without effect where, and as long as, the job does not run. */
  wake(): void;
  /** The same after some milliseconds, in place of the time that was set before. */
  wakeAfter(ms: number): void;
}
