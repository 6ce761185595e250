import type { Logger } from '@nestjs/common';
import type { Clock } from './clock.js';

/** A shutdown waits so long for a run that is under way: where the database is silent, it would have no end. */
const STOP_MS = 500;

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
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelTimer();
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.runs, tooLong]);
    clearTimeout(timer);
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
