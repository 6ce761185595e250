import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { failpoint } from '../../platform/failpoint.js';
import { Database } from '../../store/database.js';
import { LockedRows } from '../../store/locked-rows.js';
import { UnwantedTriggers } from '../ledger/cancel/unwanted-triggers.repository.js';
import { Ledger } from '../ledger/ledger.repository.js';
import type { Requeued } from '../ledger/requeue.js';
import type { LeasedTrigger } from '../queue/leased-trigger.js';

/** Ends leases without an attempt, those that are still valid: their triggers wait in the durable queue again. */
@Injectable()
export class RequeueRepository {
  private readonly locked: LockedRows;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly unwanted: UnwantedTriggers,
  ) {
    this.locked = new LockedRows(database, 'webhook_trigger');
  }

  /** @throws LockedRowsError if others have locked some of their rows */
  async requeue(leases: Requeued[]): Promise<void> {
    await this.guarded(leases, () => this.ledger.requeue(leases));
  }

  /**
   * Triggers that nobody seems to want any more are cancelled if their webhook or event is off now; it may have been switched
   * on since that was found.
   *
   * @returns whether some are due instead.
   * @throws LockedRowsError if others have locked some of their rows
   */
  async requeueUnwanted(
    leased: LeasedTrigger[],
    { dueAt, endAt }: { dueAt: number; endAt: number },
  ): Promise<boolean> {
    const requeue = async (manager: EntityManager) => {
      const found = await this.unwanted.find(manager, leased);
      await this.ledger.requeue(
        leased.map((trigger) => ({ ...trigger, dueAt })),
        manager,
      );
      await this.unwanted.cancel(manager, found, endAt);
      return found.unwanted.size < leased.length;
    };
    return this.guarded(leased, () => this.database.transaction(requeue));
  }

  private async guarded<T>(leases: { id: string }[], write: () => Promise<T>): Promise<T> {
    failpoint('release-before');
    const written = await this.locked.guard(() => leases.map(({ id }) => id), write);
    failpoint('release-after');
    return written;
  }
}
