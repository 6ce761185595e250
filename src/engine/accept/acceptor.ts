import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  type FirstCall,
  type FirstCalls,
  IdempotencyRepository,
} from '../../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall, keyInUse } from '../../idempotency/idempotency-keys.js';
import { Batcher } from '../../platform/batcher.js';
import { currentCall } from '../../platform/call.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import {
  isAboutData,
  isDatabaseUnavailable,
  LockedRowsError,
  OutcomeUnknownError,
} from '../../platform/database-error.js';
import { failpoint } from '../../platform/failpoint.js';
import { databaseUnavailable, outcomeUnknown } from '../../platform/problem.js';
import { Database } from '../../store/database.js';
import type { Insert } from '../../store/insert.js';
import { type Changed, ChangeLog } from '../changes/change-log.repository.js';
import { Instance } from '../instance/instance.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { DeliveryMetrics } from '../metrics/delivery-metrics.js';
import { AcceptRepository, isTest, type NewNotification, type NewTrigger } from './accept.repository.js';
import { Capacity } from './capacity.js';
import { DecisionSets } from './decision-sets.js';
import { type Fanned, FanOut, type Lease, type Submission } from './fan-out.js';
import { isLeased, isOrdered, toLeased } from './new-trigger.js';
import { firstOf, hashesOf, keyed, NO_KEYS } from './submission-keys.js';

const MAX_BATCH = 500;
/** Used when `delivery.gentle` is set. */
const GENTLE_BATCH = 25;

/** A trigger of a notification that is stored, and the webhook that will get it. */
export interface AcceptedTrigger {
  /** UUIDv7. */
  id: string;
  /** UUIDv7. */
  webhookId: string;
}

/** A stored submission; `replayed` if an earlier call with the same idempotency key stored it. */
export interface Acceptance {
  notification: Pick<NewNotification, 'id' | 'eventKind' | 'triggeredAt'>;
  triggers: AcceptedTrigger[];
  replayed: boolean;
}

type Outcome = { triggers: AcceptedTrigger[] } | { first: FirstCall };

/** Accepts notifications: stores each, with a trigger for every subscribed webhook, in one transaction. */
@Injectable()
export class Acceptor {
  private readonly batcher: Batcher<Submission, Outcome>;

  constructor(
    private readonly database: Database,
    private readonly repository: AcceptRepository,
    private readonly fanOut: FanOut,
    private readonly sets: DecisionSets,
    private readonly changes: ChangeLog,
    private readonly idempotency: IdempotencyRepository,
    private readonly capacity: Capacity,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    private readonly metrics: DeliveryMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.batcher = new Batcher((batch, earlier) => this.commit(batch, earlier), {
      maxItems: settings.delivery.gentle ? GENTLE_BATCH : MAX_BATCH,
      parallel: database.parallelCommits,
      bytesOf: ({ notification }) => notification.body.length,
      isAboutItem: isAboutData,
      keysOf: hashesOf,
    });
  }

  /**
   * Resolves when everything is committed; rejects if nothing is, or if the outcome is unknown.
   *
   * @throws Problem 409 `idempotency_key_in_use`, 422 `idempotency_key_reused`, 503 `database_unavailable`
   */
  async accept(submission: Submission): Promise<Acceptance> {
    const own = this.database.outsideOfOwn();
    if (own) await own;
    const start = performance.now();
    const outcome = await this.batcher.add(submission, currentCall()).catch(unavailable);
    if ('triggers' in outcome) {
      this.metrics.accepted(outcome.triggers.length, (performance.now() - start) / 1000);
      return { ...outcome, notification: submission.notification, replayed: false };
    }
    if (submission.call) checkSameRequest(outcome.first, submission.call);
    return this.storedBy(outcome.first, submission.notification.eventKind);
  }

  /**
   * What an earlier call with the same idempotency key stored; null if there was none.
   *
   * @throws Problem 422 `idempotency_key_reused`, 503 `database_unavailable`
   */
  async earlier(call: IdempotentCall, eventKind: string): Promise<Acceptance | null> {
    const first = await this.idempotency.find(call.hash, this.clock.now()).catch(unavailable);
    if (!first) return null;
    checkSameRequest(first, call);
    return this.storedBy(first, eventKind).catch(unavailable);
  }

  private async storedBy(first: FirstCall, eventKind: string): Promise<Acceptance> {
    const { subjectId: id, createdAt: triggeredAt } = first;
    const bare = { notification: { id, triggeredAt, eventKind }, triggers: [] };
    return { ...((await this.repository.acceptance(id)) ?? bare), replayed: true };
  }

  /**
   * Writes through the caller's manager. When the caller commits, the triggers are due and a look for them starts at
   * once.
   *
   * @throws Error if the manager is in no transaction
   */
  async acceptWithin(manager: EntityManager, notification: NewNotification): Promise<Acceptance> {
    this.database.checkInTransaction(manager);
    const fanned = await this.fanOut.of([{ notification }], manager, () => null);
    const triggers = [...fanned.triggers.values()].flat();
    const sets = this.sets.within(manager, notification, fanned.sets);
    const noted = this.changes.rowsWithin(manager, changedOf([notification], triggers));
    await this.repository.insert(manager, [notification], triggers, [...noted, ...(sets ? [sets] : [])]);
    this.whenCommitted(manager, triggers);
    return { notification, triggers: triggers.map(toAccepted), replayed: false };
  }

  /** Writes notifications through the manager of a short transaction of our own. When it commits, the triggers are due. */
  async acceptAllWithin(manager: EntityManager, notifications: NewNotification[]): Promise<void> {
    const batch = notifications.map((notification) => ({ notification }));
    const fanned = await this.fanOut.of(batch, manager, () => null);
    await this.insert(manager, batch, fanned, this.sets.missing(fanned.sets));
    this.whenCommitted(manager, [...fanned.triggers.values()].flat());
  }

  /**
   * Fans out, reserves capacity, and stores what is new. Then hands over the triggers that have reservations, and cancels
   * unused ones.
   *
   * @param earlier resolves once the batches before are committed: what a batch puts into groups must not be committed before what an earlier batch puts there.
   */
  private async commit(batch: Submission[], earlier: () => Promise<void>): Promise<Outcome[]> {
    const fanned = await this.fanOut.of(batch, null, this.lease);
    const firsts = await this.storeInOrder(fanned, earlier);
    const all = fanned.triggers;
    failpoint('accept-committed');
    const outcomes = batch.map((submission): Outcome => {
      const triggers = all.get(submission) ?? [];
      const first = firstOf(submission, firsts);
      if (!first) return { triggers: triggers.map(toAccepted) };
      this.cancel(triggers);
      all.delete(submission);
      return { first };
    });
    this.handOver([...all.values()].flat());
    failpoint('accept-handed-over');
    return outcomes;
  }

  private async storeInOrder(fanned: Fanned, earlier: () => Promise<void>): Promise<FirstCalls> {
    const triggers = [...fanned.triggers.values()].flat();
    try {
      if (triggers.some(isOrdered)) await earlier();
      return await this.store(fanned);
    } catch (error) {
      this.cancel(triggers);
      throw error;
    }
  }

  /** Stores the batch, leaving out repeated idempotency keys. @returns the first call of each key. */
  private async store(fanned: Fanned): Promise<FirstCalls> {
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

  /** The triggers have been due since they were written; the commit may come much later. */
  private whenCommitted(manager: EntityManager, triggers: NewTrigger[]): void {
    if (triggers.length > 0) this.database.onCommit(manager, () => this.signalWaiting(triggers));
  }

  private readonly lease: Lease = (webhookId, userId, isTest) =>
    this.instance.isValid && this.capacity.reserve(webhookId, userId, isTest) ? this.instance.id : null;

  private cancel(triggers: NewTrigger[]): void {
    this.capacity.cancel(triggers.filter(isLeased).map(({ webhookId }) => webhookId));
  }

  private handOver(fresh: NewTrigger[]): void {
    this.capacity.offer(fresh.filter(isLeased).map(toLeased));
    const waiting = fresh.filter((trigger) => !isLeased(trigger));
    this.signalWaiting(waiting);
    if (waiting.some(isTest)) this.signals.emit('urgent');
  }

  private signalWaiting(triggers: NewTrigger[]): void {
    const first = triggers.find((trigger) => !isOrdered(trigger));
    if (first) this.signals.emit('due', first.dueAt);
    if (triggers.some(isOrdered)) this.signals.emit('ordered');
  }
}

const changedOf = (notifications: NewNotification[], triggers: NewTrigger[]): Changed => ({
  notification: notifications.map(({ id }) => id),
  trigger: triggers.map(({ id }) => id),
});

function unavailable(error: unknown): never {
  if (error instanceof OutcomeUnknownError) throw outcomeUnknown();
  // Somebody else is storing something under this key, or has locked it.
  if (error instanceof LockedRowsError) throw keyInUse();
  throw isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
}

const toAccepted = ({ id, webhookId }: NewTrigger): AcceptedTrigger => ({ id, webhookId });
