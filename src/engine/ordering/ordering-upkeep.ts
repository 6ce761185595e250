import { Injectable, Logger } from '@nestjs/common';
import type { JobHandle } from '../../jobs/job.js';
import { Jobs } from '../../jobs/jobs.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { OrderingRepository } from './ordering.repository.js';

/** How often a process polls for marks that another one left. */
const POLL_MS = 1000;

/** Keeps the groups of webhooks whose notifications are sent in order, or coalesced: whenever a head has ended, the next one follows. */
@Injectable()
export class OrderingUpkeep {
  private readonly job: JobHandle;

  constructor(
    private readonly repository: OrderingRepository,
    signals: QueueSignals,
    jobs: Jobs,
  ) {
    this.job = jobs.add({
      logger: new Logger('Delivery'),
      failure: 'Could not make ordered triggers due',
      runs: 'sending',
      firstAfterMs: 0,
      againAfterErrorMs: POLL_MS,
      step: () => this.keep(),
    });
    signals.subscribe({ ordered: () => this.job.wake() });
  }

  private async keep(): Promise<number> {
    let hasMore = true;
    while (hasMore && !this.job.isStopping) hasMore = await this.repository.processMarks();
    return POLL_MS;
  }
}
