import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundTask } from '../common/background-task.js';
import { CLOCK, type Clock } from '../common/clock.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Between two looks for keys that are too old, once none is left. */
const EVERY_MS = 10_000;
/** Between two small deletes, for all else that the database has to do. */
const PAUSE_MS = 50;

/** Forgets keys that are too old to matter, a few at a time. */
@Injectable()
export class IdempotencyPurge {
  private readonly task: BackgroundTask;

  constructor(
    private readonly repository: IdempotencyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.task = new BackgroundTask(clock, () => this.purge(), {
      logger: new Logger('Idempotency'),
      failure: 'Old keys not forgotten yet',
      againAfterErrorMs: EVERY_MS,
    });
  }

  start(): void {
    this.task.runAfter(PAUSE_MS);
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async purge(): Promise<number> {
    const mayBeMore = await this.repository.purgeSome(this.clock.now());
    return mayBeMore ? PAUSE_MS : EVERY_MS;
  }
}
