import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LockedRowsError } from '../../platform/database-error.js';
import { runInParts } from '../../platform/parts.js';
import { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { RequeueRepository } from '../settle/requeue.repository.js';
import { LeaseRecoveryRepository } from './lease-recovery.repository.js';

const REQUEUED_AT_ONCE = 200;

/**
 * Leases that the database assigns to this process but that the process does not hold. They arise when the answer to a
 * commit is lost.
 */
@Injectable()
export class UnknownLeases {
  /** The leases found by the last comparison: each trigger's id and fencing token. */
  private found = new Map<string, number>();

  constructor(
    private readonly repository: LeaseRecoveryRepository,
    private readonly requeues: RequeueRepository,
    private readonly queues: WebhookQueues,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Requeues what the last comparison also found. Newer ones may be on their way to the dispatcher. */
  async requeue(): Promise<void> {
    const leases = [...(await this.repository.leasesOf(this.instance.id))].filter(
      ([id]) => !this.queues.has(id),
    );
    const lost = leases.filter(([id, lease]) => this.found.get(id) === lease);
    this.found = new Map(leases);
    for (let from = 0; from < lost.length; from += REQUEUED_AT_ONCE) {
      const dueAt = this.clock.now();
      const some = lost
        .slice(from, from + REQUEUED_AT_ONCE)
        .map(([id, lease]) => ({ id, lease, dueAt, ordered: true }));
      // Those whose rows others have locked are found again by the next comparison.
      const [failed] = await runInParts(some, (part) => this.requeues.requeue(part), {
        isAboutItem: () => false,
        keysOf: ({ id }) => [id],
      });
      if (failed && !(failed.error instanceof LockedRowsError)) throw failed.error;
    }
    if (lost.length > 0) this.signals.emit('returned');
  }
}
