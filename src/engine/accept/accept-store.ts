import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type FirstCall,
  type FirstCalls,
  IdempotencyRepository,
} from '../../idempotency/idempotency.repository.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { failpoint } from '../../platform/failpoint.js';
import type { Insert } from '../../store/insert.js';
import { type Changed, ChangeLog } from '../changes/change-log.repository.js';
import {
  AcceptRepository,
  type NewNotification,
  type NewTrigger,
  type StoredNotification,
} from './accept.repository.js';
import { DecisionSets } from './decision-sets.js';
import type { Fanned, Submission } from './fan-out.js';
import { firstOf, keyed, NO_KEYS } from './submission-keys.js';

/** Stores notifications with all that belongs to them: their triggers, decision sets, idempotency keys and change notes. */
@Injectable()
export class AcceptStore {
  constructor(
    private readonly repository: AcceptRepository,
    private readonly sets: DecisionSets,
    private readonly changes: ChangeLog,
    private readonly idempotency: IdempotencyRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores a batch in a transaction of its own, leaving out repeated idempotency keys. @returns the first call of each key. */
  async store(fanned: Fanned): Promise<FirstCalls> {
    const batch = [...fanned.triggers.keys()];
    const sets = this.sets.missing(fanned.sets);
    let firsts = NO_KEYS;
    const keys = batch.flatMap(keyed);
    if (keys.length > 0) {
      firsts = await this.idempotency.inTransaction(keys, async (manager) => {
        failpoint('accept-begun');
        const claimed = await this.idempotency.claim(manager, keys);
        const fresh = batch.filter((submission) => !firstOf(submission, claimed));
        await this.insert(manager, fresh, fanned, sets);
        failpoint('accept-written');
        return claimed;
      });
    } else await this.insert(null, batch, fanned, sets);
    if (sets) this.sets.committed(sets);
    return firsts;
  }

  /** Stores a notification in a transaction of the application, which may stay open for long. */
  async storeWithin(manager: EntityManager, notification: NewNotification, fanned: Fanned): Promise<void> {
    const triggers = [...fanned.triggers.values()].flat();
    const sets = this.sets.within(manager, notification, fanned.sets);
    const noted = this.changes.rowsWithin(manager, changedOf([notification], triggers));
    await this.repository.insert(manager, [notification], triggers, [...noted, ...(sets ? [sets] : [])]);
  }

  /** Stores a batch in a short transaction of our own. */
  storeAllWithin(manager: EntityManager, fanned: Fanned): Promise<void> {
    return this.insert(manager, [...fanned.triggers.keys()], fanned, this.sets.missing(fanned.sets));
  }

  /** The call that took an idempotency key first; null if there was none. */
  firstCall(hash: string): Promise<FirstCall | null> {
    return this.idempotency.find(hash, this.clock.now());
  }

  /** What a first call stored; null if that is past its retention. */
  storedBy({ subjectId }: FirstCall): Promise<StoredNotification | null> {
    return this.repository.acceptance(subjectId);
  }

  private async insert(
    manager: EntityManager | null,
    batch: Submission[],
    { triggers }: Fanned,
    sets: Insert | null,
  ): Promise<void> {
    const notifications = batch.map(({ notification }) => notification);
    const ofBatch = batch.flatMap((submission) => triggers.get(submission) ?? []);
    await this.changes.noting(changedOf(notifications, ofBatch), manager, (noted) =>
      this.repository.insert(manager, notifications, ofBatch, sets ? [...noted, sets] : noted),
    );
  }
}

const changedOf = (notifications: NewNotification[], triggers: NewTrigger[]): Changed => ({
  notification: notifications.map(({ id }) => id),
  trigger: triggers.map(({ id }) => id),
});
