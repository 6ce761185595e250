import { Inject, Injectable, Logger } from '@nestjs/common';
import { BackgroundTask } from '../platform/background-task.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** The pause after a purge that left no old keys. */
const EVERY_MS = 10_000;
/** The pause between two small deletes, so that other statements get their turn. */
const PAUSE_MS = 50;

/** Deletes expired keys, a few at a time. */
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
