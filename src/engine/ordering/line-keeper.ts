import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundTask } from '../../platform/background-task.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { LineRepository } from './line.repository.js';

/** How often a process looks for marks that another one left. */
const LOOK_MS = 1000;

/** Keeps the lines of webhooks whose notifications are sent in order, or coalesced: gives the turn on. */
@Injectable()
export class LineKeeper {
  private readonly task: BackgroundTask;
  private isRunning = false;
  /** Whether a look is about to begin that will find what a signal speaks of. */
  private isComing = false;
  private unsubscribe = () => {};

  constructor(
    private readonly repository: LineRepository,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.task = new BackgroundTask(clock, () => this.keep(), {
      logger: new Logger('Delivery'),
      failure: 'The order of some webhooks is not kept up yet',
      againAfterErrorMs: LOOK_MS,
    });
  }

  start(): void {
    this.isRunning = true;
    this.unsubscribe = this.signals.subscribe({ lined: () => this.lookSoon() });
    this.task.runNow();
  }

  stop(): Promise<void> {
    this.isRunning = false;
    this.unsubscribe();
    return this.task.stop();
  }

  private lookSoon(): void {
    if (this.isComing || !this.isRunning) return;
    this.isComing = true;
    this.task.runNow();
  }

  private async keep(): Promise<number> {
    this.isComing = false;
    let hasMore = true;
    while (hasMore && !this.task.isStopped) hasMore = await this.repository.keepSome();
    return LOOK_MS;
  }
}
