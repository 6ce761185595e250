import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock.js';
import { settledInTime } from '../platform/settled-in-time.js';
import type { Job, JobHandle } from './job.js';
import { RunningJob } from './running-job.js';

/**
 * Runs all work that repeats by time in this process.
 *
 * ```
 *   idle: jobs that run everywhere, or when woken ──start──► sending: all jobs ──stopSending──► draining: as when idle
 *     └───────────────────────────────────────────── stop, quiet ─────────────────────────────────────┴──► ended: none, for good
 * ```
 *
 * A process that sends nothing stays idle until it ends. While one drains, it still answers calls, and its attempts end: streams
 * go on, and what calls leave behind is done.
 */
@Injectable()
export class Jobs {
  private readonly jobs: RunningJob[] = [];
  private isSending = false;
  private hasEnded = false;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Takes a job in, which then runs where and when it says. */
  add(job: Job): JobHandle {
    const running = new RunningJob(this.clock, job);
    this.jobs.push(running);
    if (this.isSending) running.start();
    if (this.hasEnded) running.end().catch(() => {});
    return running;
  }

  /** Begins what only processes that send do: this one is in the list of living instances now. */
  start(): void {
    this.isSending = true;
    for (const job of this.jobs) job.start();
  }

  /** Ends what only processes that send do. Resolves in time like {@link stop}. */
  stopSending(): Promise<void> {
    const ended = this.jobs.filter(({ isOfSenders }) => isOfSenders).map((job) => job.end());
    return settledInTime(Promise.allSettled(ended));
  }

  /** Ends all. Resolves when no step is under way any more, or half a second later: the database may be silent. */
  stop(): Promise<void> {
    return settledInTime(this.quiet());
  }

  /** Ends all jobs. Resolves when no step is under way, however long that takes: tests then have the database to themselves. */
  async quiet(): Promise<void> {
    this.hasEnded = true;
    await Promise.allSettled(this.jobs.map((job) => job.end()));
  }
}
