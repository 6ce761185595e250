import type { Logger } from '@nestjs/common';
import type { Clock } from './clock.js';
import { settledInTime } from './settled-in-time.js';

interface BackgroundTaskOptions {
  logger: Logger;
  /** Logged before the reason when a run fails. */
  failure: string;
  /** Milliseconds to wait after a failed run. */
  againAfterErrorMs: number;
}

/** Repeats work in the background, one run at a time, until the application stops. */
export class BackgroundTask {
  private runs = Promise.resolve();
  private stopped = false;
  private cancelTimer = () => {};

  /** @param run returns the milliseconds until its next run, or null for no further run. */
  constructor(
    private readonly clock: Clock,
    private readonly run: () => Promise<number | null>,
    private readonly options: BackgroundTaskOptions,
  ) {}

  /** A long run should check this and end early. */
  get isStopped(): boolean {
    return this.stopped;
  }

  /** Schedules the next run, replacing any run already scheduled. */
  runAfter(ms: number): void {
    this.cancelTimer();
    if (!this.stopped) this.cancelTimer = this.clock.after(ms, () => this.runNow());
  }

  runNow(): void {
    this.runs = this.runs.then(() => this.runOnce());
  }

  /** Resolves when no run is in progress, or after 500 ms. */
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
