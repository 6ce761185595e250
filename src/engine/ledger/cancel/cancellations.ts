import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JobHandle } from '../../../jobs/job.js';
import { Jobs } from '../../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import type { CancellationEntity } from '../../../store/tables/webhook/cancellation.entity.js';
import { QueueSignals } from '../queue-signals.js';
import { CancellationRepository } from './cancellation.repository.js';

/** How often a process polls for cancellations that another one left. */
const POLL_MS = 60_000;

/** Finishes cancellations that were too large for one transaction, also after a restart or the death of a process. */
@Injectable()
export class Cancellations {
  private readonly job: JobHandle;

  constructor(
    private readonly repository: CancellationRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    signals: QueueSignals,
    jobs: Jobs,
  ) {
    this.job = jobs.add({
      logger: new Logger('Delivery'),
      failure: 'Could not cancel all triggers',
      // A process that does not send finishes its own cancellations only.
      runs: 'sending or woken',
      firstAfterMs: 0,
      againAfterErrorMs: POLL_MS,
      step: () => this.cancelAll(),
    });
    signals.subscribe({ leftToCancel: () => this.job.wake() });
  }

  private async cancelAll(): Promise<number> {
    let failure: unknown;
    for (const one of await this.repository.left()) {
      // The rows of one webhook may be locked. The others have nothing to do with it.
      await this.cancel(one).catch((error: unknown) => {
        failure ??= error;
      });
      if (this.job.isStopping) return POLL_MS;
    }
    if (failure !== undefined) throw failure;
    return POLL_MS;
  }

  private async cancel(one: CancellationEntity): Promise<void> {
    let place: Awaited<ReturnType<CancellationRepository['cancelLeft']>> = null;
    do {
      place = await this.repository.cancelLeft(one.webhookId, place, this.clock.now());
      if (this.job.isStopping) return;
    } while (place !== null);
    await this.repository.done(one);
  }
}
