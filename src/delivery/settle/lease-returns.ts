import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { QueueTime } from '../../trigger/queue-time.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { QueueRepository } from '../queue/queue.repository.js';

/** The pause before trying again to give leases back, for example while the database is unavailable. */
const AGAIN_MS = 1000;

/** Gives leases back without an attempt. */
@Injectable()
export class LeaseReturns {
  private readonly logger = new Logger('Delivery');
  private stopped = false;

  constructor(
    private readonly queue: QueueRepository,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Gives them back for any process to claim. Resolves with their due time, however long the database is unavailable.
   */
  async pending(triggers: LeasedTrigger[], inMs = 0): Promise<number> {
    const at = this.time.now() + inMs;
    await this.insist(triggers, () => this.queue.release(triggers, { status: 'PENDING', at }));
    return at;
  }

  /** Gives them back in their place of the queue. Resolves only when done, however long the database is unavailable. */
  inPlace(triggers: LeasedTrigger[]): Promise<void> {
    return this.insist(triggers, () => this.queue.putBack(triggers));
  }

  /** Resolves only when done, however long the database is unavailable. */
  cancelled(triggers: LeasedTrigger[]): Promise<void> {
    const at = this.clock.now();
    return this.insist(triggers, () => this.queue.release(triggers, { status: 'CANCELLED', at }));
  }

  /** Stops trying. Leases not given back by then are taken over by other processes or at the next start. */
  stop(): void {
    this.stopped = true;
  }

  private async insist(triggers: LeasedTrigger[], release: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await release();
      } catch (error) {
        if (this.stopped) return;
        this.logger.error(`${triggers.length} triggers not given back yet: ${(error as Error).message}`);
        await new Promise<void>((resolve) => this.clock.after(AGAIN_MS, resolve));
      }
    }
  }
}
