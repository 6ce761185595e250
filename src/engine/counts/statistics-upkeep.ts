import { Inject, Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { TaskLease } from '../instance/task-lease.js';
import { StatisticAdding } from './adding.js';
import { OldStatisticRepository } from './old-statistic.repository.js';

const TASK = 'statistics';
/** The longer the pause, the more deltas change the same rows, and the more of them a call has to read. */
const EVERY_MS = 2000;
/** If adding takes long, the pause is this many times as long, up to a bound: it takes a twentieth of the time. */
const REST = 20;
const LATEST_MS = 4000;
/** How often an instance asks whether the one that does it is gone. */
const ASK_AGAIN_MS = 5000;
const DELETE_EVERY_MS = 60_000;
const DELETE_MORE_MS = 100;

/** Adds up what settlements have counted, and deletes counts that are not kept any longer. One instance does it for all. */
@Injectable()
export class StatisticsUpkeep {
  /** Both on the monotonic clock. */
  private addAt = 0;
  private deleteAt = 0;

  constructor(
    private readonly lease: TaskLease,
    private readonly adding: StatisticAdding,
    private readonly old: OldStatisticRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    jobs.add({
      logger: new Logger('Delivery'),
      failure: 'Could not add up statistics',
      runs: 'sending',
      firstAfterMs: EVERY_MS,
      againAfterErrorMs: ASK_AGAIN_MS,
      step: () => this.run(),
    });
  }

  private async run(): Promise<number> {
    if (!(await this.lease.take(TASK))) return ASK_AGAIN_MS;
    if (this.clock.monotonic() >= this.addAt) await this.add();
    if (this.clock.monotonic() >= this.deleteAt) await this.deleteSome();
    return Math.max(0, Math.min(this.addAt, this.deleteAt) - this.clock.monotonic());
  }

  private async add(): Promise<void> {
    const begin = this.clock.monotonic();
    const isBehind = await this.adding.addSome();
    const now = this.clock.monotonic();
    // Who is behind does not pause. What it does at once is bounded, and deliveries run in between.
    this.addAt = isBehind ? now : now + Math.min(Math.max((now - begin) * REST, EVERY_MS), LATEST_MS);
  }

  private async deleteSome(): Promise<void> {
    const mayBeOlder = await this.old.deleteSome(this.clock.now());
    this.deleteAt = this.clock.monotonic() + (mayBeOlder ? DELETE_MORE_MS : DELETE_EVERY_MS);
  }
}
