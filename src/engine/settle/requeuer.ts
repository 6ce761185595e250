import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isDatabaseAway } from '../../platform/database-error.js';
import { runInParts } from '../../platform/parts.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { RequeueRepository } from './requeue.repository.js';

/** The pause before trying again to requeue, for example while the database is unavailable. */
const AGAIN_MS = 1000;

/** More failures in a row than a few triggers can cause: none can be requeued now. */
const MAX_IN_VAIN = 32;

const nothing = () => {};

/**
 * Requeues triggers that are leased to this process, without an attempt. Each call resolves only when that is done, however long
 * the database is unavailable, or after one more try once it is stopped.
 */
@Injectable()
export class Requeuer {
  private readonly logger = new Logger('Delivery');
  private stopped = false;

  constructor(
    private readonly repository: RequeueRepository,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Requeues triggers for any process to claim, and signals when they are due.
   *
   * @param onApart called if it may take long because somebody has locked their rows.
   */
  async requeue(triggers: LeasedTrigger[], inMs = 0, onApart = nothing): Promise<void> {
    if (triggers.length === 0) return;
    const dueAt = this.time.now() + inMs;
    await this.insist(triggers, onApart, (some) =>
      this.repository.requeue(some.map((trigger) => ({ ...trigger, dueAt }))),
    );
    this.signals.emit('due', dueAt);
  }

  /** Requeues triggers where they were in the queue. There is no signal: this process has no capacity for them. */
  requeueInPlace(triggers: LeasedTrigger[]): Promise<void> {
    return this.insist(triggers, nothing, (some) => this.repository.requeue(some));
  }

  /**
   * Requeues triggers that nobody seems to want any more: they are cancelled. Some may be wanted again: a signal says when
   * these are due.
   *
   * @param onApart called if it may take long because somebody has locked their rows.
   */
  async requeueUnwanted(triggers: LeasedTrigger[], onApart = nothing): Promise<void> {
    const [dueAt, endAt] = [this.time.now(), this.clock.now()];
    let areSomeDue = false;
    await this.insist(triggers, onApart, async (some) => {
      if (await this.repository.requeueUnwanted(some, { dueAt, endAt })) areSomeDue = true;
    });
    if (areSomeDue) this.signals.emit('due', dueAt);
  }

  /** Stops trying. Leases that are left then are taken over by other processes or at the next start. */
  stop(): void {
    this.stopped = true;
  }

  /** One that cannot be requeued, because somebody has locked its row, does not keep the others. */
  private async insist(
    triggers: LeasedTrigger[],
    onApart: () => void,
    requeue: (some: LeasedTrigger[]) => Promise<void>,
  ): Promise<void> {
    for (let left = triggers; left.length > 0; ) {
      const failed = await runInParts(left, requeue, {
        isAboutItem: (error) => !isDatabaseAway(error),
        keysOf: ({ id, webhookId }) => [id, webhookId],
        maxInVain: MAX_IN_VAIN,
      });
      const [first] = failed;
      if (!first || this.stopped) return;
      left = failed.flatMap(({ items }) => items);
      if (!isDatabaseAway(first.error)) onApart();
      this.logger.error(`Could not requeue ${left.length} triggers yet: ${(first.error as Error).message}`);
      await new Promise<void>((resolve) => this.clock.after(AGAIN_MS, resolve));
    }
  }
}
