import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** Between two looks for keys that are too old, once none is left. */
const EVERY_MS = 10_000;
/** Between two small deletes, for all else that the database has to do. */
const PAUSE_MS = 50;

/** Forgets keys that are too old to matter, a few at a time. */
@Injectable()
export class IdempotencyPurge {
  private readonly logger = new Logger('Idempotency');
  private running = false;
  private cancelTimer = () => {};

  constructor(
    private readonly repository: IdempotencyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  start(): void {
    this.running = true;
    this.schedule(PAUSE_MS);
  }

  stop(): void {
    this.running = false;
    this.cancelTimer();
  }

  private schedule(ms: number): void {
    if (this.running) this.cancelTimer = this.clock.after(ms, () => void this.purge());
  }

  private async purge(): Promise<void> {
    let mayBeMore = false;
    try {
      mayBeMore = await this.repository.purgeSome(this.clock.now());
    } catch (error) {
      this.logger.error(`Old keys not forgotten yet: ${(error as Error).message}`);
    }
    this.schedule(mayBeMore ? PAUSE_MS : EVERY_MS);
  }
}
