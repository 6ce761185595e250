import { Inject, Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../jobs/jobs.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { IdempotencyRepository } from './idempotency.repository.js';

/** The pause after a purge that left no old keys. */
const EVERY_MS = 10_000;
/** The pause between two small deletes, so that other statements run between them. */
const PAUSE_MS = 50;

/** Deletes expired keys, a few at a time. */
@Injectable()
export class IdempotencyPurge {
  constructor(
    private readonly repository: IdempotencyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    jobs.add({
      logger: new Logger('Idempotency'),
      failure: 'Could not delete old idempotency keys',
      runs: 'sending',
      firstAfterMs: PAUSE_MS,
      againAfterErrorMs: EVERY_MS,
      step: () => this.purge(),
    });
  }

  private async purge(): Promise<number> {
    const mayBeMore = await this.repository.purgeSome(this.clock.now());
    return mayBeMore ? PAUSE_MS : EVERY_MS;
  }
}
