import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isDatabaseAway } from '../../platform/database-error.js';
import { runInParts } from '../../platform/parts.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';
import { QueueRepository } from '../queue/queue.repository.js';

/** The pause before trying again to give leases back, for example while the database is unavailable. */
const AGAIN_MS = 1000;

/** More failures in a row than a few triggers can cause: none can be given back now. */
const MAX_IN_VAIN = 32;

/** Gives leases back without an attempt. */
@Injectable()
export class Requeue {
  private readonly logger = new Logger('Delivery');
  private stopped = false;

  constructor(
    private readonly queue: QueueRepository,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Gives them back for any process to claim. Resolves with their due time, however long the database is unavailable.
   *
   * @param onApart called, as in the others, if it may take long because somebody has locked their rows.
   */
  async pending(triggers: LeasedTrigger[], inMs = 0, onApart = () => {}): Promise<number> {
    const at = this.time.now() + inMs;
    await this.insist(triggers, onApart, (some) => this.queue.release(some, at));
    return at;
  }

  /** Gives them back in their place of the queue. Resolves only when done, however long the database is unavailable. */
  inPlace(triggers: LeasedTrigger[]): Promise<void> {
    return this.insist(
      triggers,
      () => {},
      (some) => this.queue.putBack(some),
    );
  }

  /**
   * Gives back triggers that nobody seems to want any more: they are cancelled, unless they are wanted again. Resolves only when
   * done, however long the database is unavailable.
   *
   * @returns when some are due instead; null if there are none.
   */
  async unwanted(triggers: LeasedTrigger[], onApart = () => {}): Promise<number | null> {
    const [dueAt, endAt] = [this.time.now(), this.clock.now()];
    let areSomeDue = false;
    await this.insist(triggers, onApart, async (some) => {
      if (await this.queue.releaseUnwanted(some, { dueAt, endAt })) areSomeDue = true;
    });
    return areSomeDue ? dueAt : null;
  }

  /** Stops trying. Leases not given back by then are taken over by other processes or at the next start. */
  stop(): void {
    this.stopped = true;
  }

  /** One that cannot be given back, because somebody has locked its row, does not keep the others. */
  private async insist(
    triggers: LeasedTrigger[],
    onApart: () => void,
    release: (some: LeasedTrigger[]) => Promise<void>,
  ): Promise<void> {
    for (let left = triggers; left.length > 0; ) {
      const failed = await runInParts(left, release, {
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
