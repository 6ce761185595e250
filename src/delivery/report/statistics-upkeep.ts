import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundTask } from '../../common/background-task.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { OldStatisticRepository } from '../../statistics/old-statistic.repository.js';
import { StatisticDeltaRepository } from '../../statistics/statistic-delta.repository.js';
import { TaskLease } from '../recover/task-lease.js';

const TASK = 'statistics';
/** The longer, the more deltas change the same rows, and the more of them a call has to read. */
const EVERY_MS = 2000;
/** The pause after a run is at least this many times the run: adding up takes a fiftieth of the time, a tenth if it is behind. */
const REST = 50;
const REST_BEHIND = 10;
const PAUSE_MS = 50;
/** How often an instance asks whether the one that does it is gone. */
const ASK_AGAIN_MS = 5000;
const DELETE_EVERY_MS = 60_000;

/** Adds up what settlements have counted, and deletes counts that are not kept any longer. One instance does it for all. */
@Injectable()
export class StatisticsUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: BackgroundTask;
  /** Monotonic. */
  private deleteAt = 0;

  constructor(
    private readonly lease: TaskLease,
    private readonly deltas: StatisticDeltaRepository,
    private readonly old: OldStatisticRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.task = new BackgroundTask(clock, () => this.run(), {
      logger: new Logger('Delivery'),
      failure: 'Statistics not added up yet',
      againAfterErrorMs: ASK_AGAIN_MS,
    });
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.task.runAfter(EVERY_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async run(): Promise<number> {
    if (!(await this.lease.take(TASK))) return ASK_AGAIN_MS;
    const begin = this.clock.monotonic();
    const mayBeMore = await this.deltas.addSome();
    const mayBeOlder = this.clock.monotonic() >= this.deleteAt && (await this.deleteSome());
    const tookMs = this.clock.monotonic() - begin;
    return mayBeMore || mayBeOlder
      ? Math.max(PAUSE_MS, tookMs * REST_BEHIND)
      : Math.max(EVERY_MS, tookMs * REST);
  }

  private async deleteSome(): Promise<boolean> {
    const mayBeOlder = await this.old.deleteSome(this.clock.now());
    if (!mayBeOlder) this.deleteAt = this.clock.monotonic() + DELETE_EVERY_MS;
    return mayBeOlder;
  }
}
