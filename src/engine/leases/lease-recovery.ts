import { Inject, Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { OtherInstances } from '../instance/other-instances.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { LeaseRecoveryRepository } from './lease-recovery.repository.js';
import { UnknownLeases } from './unknown-leases.js';

/** Own leases are compared at every second read of the heartbeats, so that triggers on their way to the dispatcher arrive in between. */
const READS_PER_COMPARISON = 2;

/** Makes due the triggers that dead processes, or broken commits, left behind. */
@Injectable()
export class LeaseRecovery {
  private readonly logger = new Logger('Delivery');
  private reads = 0;

  constructor(
    private readonly others: OtherInstances,
    private readonly repository: LeaseRecoveryRepository,
    private readonly unknown: UnknownLeases,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    jobs.add({
      logger: this.logger,
      failure: 'Could not take over the leases of dead instances',
      runs: 'sending',
      firstAfterMs: others.pollMs,
      againAfterErrorMs: others.pollMs,
      step: () => this.poll(),
    });
  }

  private async poll(): Promise<number> {
    const { isDue } = this.others;
    if (isDue || this.others.hasLostOne) {
      await this.takeOver();
      if (isDue && ++this.reads % READS_PER_COMPARISON === 0) await this.unknown.requeue();
    }
    return Math.max(0, Math.min(this.others.pollMs, this.others.untilDueMs));
  }

  /** Takes over what is nobody's any more. A start does this before it sends anything. */
  async takeOver(): Promise<void> {
    await this.others.removeDead();
    let recovered = 0;
    // Looked at again the next time.
    const locked = new Set<string>();
    for (;;) {
      const some = await this.repository.recoverSome(this.clock.now(), locked);
      if (some === 0) break;
      recovered += some;
      this.signals.emit('returned');
    }
    if (recovered > 0) this.logger.warn(`${recovered} triggers of an instance that died are due again.`);
  }
}
