import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundTask } from '../../common/background-task.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { CarriedRecovery } from './carried-recovery.js';
import { RedeliveryRepository } from './redelivery.repository.js';
import { RedeliveryStep } from './redelivery-step.js';

/** How often to look for recoveries that nobody carries on. */
const LOOK_MS = 1000;

/**
 * Carries on the recoveries that no other living instance does, one step after another. Nothing in memory has to survive:
 * the next step of each follows from its row.
 */
@Injectable()
export class Redelivery {
  private readonly logger = new Logger('Delivery');
  private readonly task: BackgroundTask;
  private readonly carried = new Map<string, CarriedRecovery>();
  private lookAt = Number.NEGATIVE_INFINITY;
  private unsubscribe = () => {};

  constructor(
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

  stop(): Promise<void> {
    this.unsubscribe();
    return this.task.stop();
  }

  private lookNow(): void {
    this.lookAt = Number.NEGATIVE_INFINITY;
    this.task.runNow();
  }

  /** Takes the steps that are due, then sleeps until the next one. */
  private async run(): Promise<number> {
    const now = this.clock.monotonic();
    if (now >= this.lookAt) {
      this.lookAt = now + LOOK_MS;
      await this.look();
    }
    for (const one of this.carried.values()) {
      if (this.task.isStopped) break;
      if (one.nextAt <= this.clock.monotonic()) await this.carryOn(one);
    }
    const next = Math.min(this.lookAt, ...[...this.carried.values()].map(({ nextAt }) => nextAt));
    return Math.max(1, next - this.clock.monotonic());
  }

  private async look(): Promise<void> {
    const held = await this.repository.held();
    const ids = new Set(held.map(({ id }) => id));
    for (const id of this.carried.keys()) if (!ids.has(id)) this.carried.delete(id);
    for (const row of held)
      if (!this.carried.has(row.id))
        this.carried.set(row.id, new CarriedRecovery(row, this.clock.monotonic()));
  }

  private async carryOn(one: CarriedRecovery): Promise<void> {
    const { id } = one.row;
    try {
      const wait = await this.step.take(one);
      if (wait === null) this.carried.delete(id);
      else one.nextAt = this.clock.monotonic() + wait;
    } catch (error) {
      // How far it came is not known if a commit got no answer: the next look reads its row.
      this.carried.delete(id);
      this.logger.error(`Recovery ${id} not carried on: ${(error as Error).message}`);
    }
  }
}
