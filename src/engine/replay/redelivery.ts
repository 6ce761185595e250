import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundTask } from '../../platform/background-task.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { settledInTime } from '../../platform/settled-in-time.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { CarriedRecovery } from './carried-recovery.js';
import { RecoveryShare } from './recovery-share.js';
import { RedeliveryRepository } from './redelivery.repository.js';
import { RedeliveryStep } from './redelivery-step.js';

/** How often to look for recoveries that nobody carries on. */
const LOOK_MS = 1000;
/**
 * Steps under way at a time. Nearly all of a step is waiting for the database, so that one after another would not keep the pace
 * of many recoveries, and one that waits for a locked row would stop all others. Each needs a connection.
 */
const AT_ONCE = 4;

/**
 * Carries on its share of the recoveries, a few steps at a time and each recovery's one after another. Nothing in memory has to
 * survive: the next step of each follows from its row.
 */
@Injectable()
export class Redelivery {
  private readonly logger = new Logger('Delivery');
  private readonly task: BackgroundTask;
  private readonly carried = new Map<string, CarriedRecovery>();
  /** The steps that are under way. */
  private readonly steps = new Set<Promise<void>>();
  private lookAt = Number.NEGATIVE_INFINITY;
  private unsubscribe = () => {};

  constructor(
    private readonly share: RecoveryShare,
    private readonly repository: RedeliveryRepository,
    private readonly step: RedeliveryStep,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.task = new BackgroundTask(clock, () => this.run(), {
      logger: this.logger,
      failure: 'No recovery carried on',
      againAfterErrorMs: LOOK_MS,
    });
  }

  start(): void {
    this.unsubscribe = this.signals.subscribe({ recovering: () => this.lookNow() });
    this.task.runNow();
  }

  async stop(): Promise<void> {
    this.unsubscribe();
    const steps = Promise.all(this.steps).then(() => undefined);
    await Promise.all([this.task.stop(), settledInTime(steps)]);
  }

  private lookNow(): void {
    this.lookAt = Number.NEGATIVE_INFINITY;
    this.task.runNow();
  }

  /** Begins steps that are due, and sleeps until the next one, or until one ends if there are as many as may be. */
  private async run(): Promise<number> {
    const now = this.clock.monotonic();
    if (now >= this.lookAt) {
      this.lookAt = now + LOOK_MS;
      await this.look();
    }
    const idle = [...this.carried.values()]
      .filter(({ isStepping, isStale }) => !isStepping && !isStale)
      .sort((a, b) => a.nextAt - b.nextAt);
    let next = this.lookAt;
    for (const one of idle) {
      if (this.task.isStopped || this.steps.size >= AT_ONCE) break;
      if (one.nextAt > this.clock.monotonic()) {
        next = Math.min(next, one.nextAt);
        break;
      }
      this.begin(one);
    }
    return Math.max(1, next - this.clock.monotonic());
  }

  private async look(): Promise<void> {
    const ids = await this.share.take();
    const own = new Set(ids);
    for (const id of this.carried.keys()) if (!own.has(id)) this.carried.delete(id);
    const rows = await this.repository.read(ids.filter((id) => this.carried.get(id)?.isStale ?? true));
    for (const row of rows) {
      const stale = this.carried.get(row.id);
      if (stale) stale.renew(row);
      else this.carried.set(row.id, new CarriedRecovery(row, this.clock.monotonic()));
    }
  }

  private begin(one: CarriedRecovery): void {
    one.isStepping = true;
    const step = this.carryOn(one).then(() => {
      one.isStepping = false;
      this.steps.delete(step);
      this.task.runNow();
    });
    this.steps.add(step);
  }

  private async carryOn(one: CarriedRecovery): Promise<void> {
    const { id } = one.row;
    try {
      const wait = await this.step.take(one);
      if (wait === null) this.carried.delete(id);
      else one.stepped(this.clock.monotonic() + wait);
    } catch (error) {
      one.failed(this.clock.monotonic());
      this.logger.error(`Recovery ${id} not carried on: ${(error as Error).message}`);
    }
  }
}
