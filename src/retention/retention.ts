import { Inject, Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../jobs/jobs.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { Pauses } from './pauses.js';
import { RetentionPass } from './retention-pass.js';

const LONGEST_FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_AFTER_ERROR_MS = 10_000;

/** Removes in the background what is past its retention, a little at a time. */
@Injectable()
export class Retention {
  private readonly logger = new Logger('Retention');
  private readonly pollMs: number | null;
  private steps: ReturnType<RetentionPass['steps']> | null = null;
  private begunAt = 0;
  /** Whether the last pass did not come to its end. */
  private isBehind = false;

  constructor(
    private readonly pass: RetentionPass,
    private readonly pauses: Pauses,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    this.pollMs = pass.spans.pollMs;
    // Null if everything is kept for ever.
    if (this.pollMs === null) return;
    jobs.add({
      logger: this.logger,
      failure: 'Could not remove what is past its retention',
      runs: 'sending',
      firstAfterMs: Math.min(LONGEST_FIRST_PAUSE_MS, this.pollMs),
      againAfterErrorMs: Math.min(LONGEST_PAUSE_AFTER_ERROR_MS, this.pollMs),
      step: () => this.step(),
    });
  }

  /** One step of a pass. @returns the pause until the next. */
  private async step(): Promise<number | null> {
    const begin = this.clock.monotonic();
    if (!this.steps) {
      this.steps = this.pass.steps();
      this.begunAt = begin;
    }
    try {
      const { done } = await this.steps.next();
      if (done) return this.ended();
      return this.pauses.after(this.clock.monotonic() - begin, this.isBehind);
    } catch (error) {
      this.steps = null;
      throw error;
    }
  }

  private ended(): number | null {
    this.steps = null;
    const { payload, rows, pages, isComplete } = this.pass.result;
    this.isBehind = !isComplete;
    if (payload + rows + pages > 0) {
      const seconds = ((this.clock.monotonic() - this.begunAt) / 1000).toFixed(1);
      this.logger.log(
        `Past their retention: ${rows} notifications and the payloads of ${payload} removed in ${seconds} s` +
          `${pages > 0 ? `, ${pages} free pages given back` : ''}${isComplete ? '' : '; there is more'}.`,
      );
    }
    return isComplete ? this.pollMs : 0;
  }
}
