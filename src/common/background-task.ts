import type { Logger } from '@nestjs/common';
import type { Clock } from './clock.js';
import { settledInTime } from './settled-in-time.js';

interface BackgroundTaskOptions {
  logger: Logger;
  /** What is said of a run that fails, before the reason. */
  failure: string;
  /** From a run that failed to the next. */
  againAfterErrorMs: number;
}

/** Work that is done again and again beside everything else, one run after the other, until the application ends. */
export class BackgroundTask {
  private runs = Promise.resolve();
  private stopped = false;
  private cancelTimer = () => {};

  /** @param run answers in how many milliseconds it wants to be run again; null where it does not. */
  constructor(
    private readonly clock: Clock,
    private readonly run: () => Promise<number | null>,
    private readonly options: BackgroundTaskOptions,
  ) {}

  /** A run that takes long is to end early then. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Runs it after a while instead of when it would have been run next. */
  runAfter(ms: number): void {
    this.cancelTimer();
    if (!this.stopped) this.cancelTimer = this.clock.after(ms, () => this.runNow());
  }

  runNow(): void {
    this.runs = this.runs.then(() => this.runOnce());
  }

  /** Resolves when nothing is under way any more, or that takes too long. */
  stop(): Promise<void> {
    this.stopped = true;
    this.cancelTimer();
    return settledInTime(this.runs);
  }

  private async runOnce(): Promise<void> {
    if (this.stopped) return;
    const { logger, failure, againAfterErrorMs } = this.options;
    try {
      const ms = await this.run();
      if (ms !== null) this.runAfter(ms);
    } catch (error) {
      logger.error(`${failure}: ${(error as Error).message}`);
      this.runAfter(againAfterErrorMs);
    }
  }
}
