import type { Clock } from '../platform/clock.js';
import { outsideOfContexts } from '../platform/contexts.js';
import type { Job, JobHandle } from './job.js';

/**
 * One job in this process, one step at a time.
 *
 * ```
 *   resting ──woken, or its time has come──► coming ──the step before has ended──► stepping ──► resting
 *                                                     stepping and woken ──► coming, behind this step
 *   any of them ──end──► ended: a step under way is the last one
 * ```
 *
 * Any number of wake-ups before the next step become one step, which finds everything.
 */
export class RunningJob implements JobHandle {
  private steps = Promise.resolve();
  private isComing = false;
  private isSending = false;
  private hasEnded = false;
  private cancelTimer = () => {};

  constructor(
    private readonly clock: Clock,
    private readonly job: Job,
  ) {}

  /** Whether only processes that send take its steps. */
  get isOfSenders(): boolean {
    return this.job.runs === 'sending';
  }

  get isStopping(): boolean {
    return this.hasEnded;
  }

  /** This process sends from now on. */
  start(): void {
    this.isSending = true;
    const { firstAfterMs } = this.job;
    if (firstAfterMs === 0) this.wake();
    else if (firstAfterMs !== null) this.wakeAfter(firstAfterMs);
  }

  wake(): void {
    const runsHere = this.isSending || !this.isOfSenders;
    if (!runsHere || this.isComing) return;
    this.isComing = true;
    // Whoever woke it may be answering a call, or be in a transaction: nothing of that is the job's.
    this.steps = outsideOfContexts(() => this.steps.then(() => this.step()));
  }

  wakeAfter(ms: number): void {
    this.cancelTimer();
    if (!this.hasEnded) this.cancelTimer = this.clock.after(ms, () => this.wake());
  }

  /** Resolves when nothing of it is under way any more. */
  async end(): Promise<void> {
    this.hasEnded = true;
    this.cancelTimer();
    await this.steps;
    await this.job.settled?.();
  }

  private async step(): Promise<void> {
    this.isComing = false;
    if (this.hasEnded) return;
    const { logger, failure, runs, againAfterErrorMs } = this.job;
    try {
      const ms = await this.job.step();
      if (ms !== null && (this.isSending || runs === 'everywhere')) this.wakeAfter(ms);
    } catch (error) {
      logger.error(`${failure}: ${error instanceof Error ? error.message : error}`);
      this.wakeAfter(againAfterErrorMs);
    }
  }
}
