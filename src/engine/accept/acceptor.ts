import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { FirstCall, FirstCalls } from '../../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall, keyInUse } from '../../idempotency/idempotency-keys.js';
import { Batcher } from '../../platform/batcher.js';
import { currentCall } from '../../platform/call.js';
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
import { DeliveryMetrics } from '../metrics/delivery-metrics.js';
import type { NewNotification, NewTrigger } from './accept.repository.js';
import { AcceptStore } from './accept-store.js';
import { type Fanned, FanOut, type Submission } from './fan-out.js';
import { HandOver } from './hand-over.js';
import { isOrdered } from './new-trigger.js';
import { firstOf, hashesOf } from './submission-keys.js';

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
    private readonly fanOut: FanOut,
    private readonly store: AcceptStore,
    private readonly handOver: HandOver,
    private readonly metrics: DeliveryMetrics,
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
    const first = await this.store.firstCall(call.hash).catch(unavailable);
    if (!first) return null;
    checkSameRequest(first, call);
    return this.storedBy(first, eventKind).catch(unavailable);
  }

  private async storedBy(first: FirstCall, eventKind: string): Promise<Acceptance> {
    const { subjectId: id, createdAt: triggeredAt } = first;
    const bare = { notification: { id, triggeredAt, eventKind }, triggers: [] };
    return { ...((await this.store.storedBy(first)) ?? bare), replayed: true };
  }

  /**
   * Writes through the caller's manager. When the caller commits, the triggers are due and a scan for them starts at
   * once.
   *
   * @throws Error if the manager is in no transaction
   */
  async acceptWithin(manager: EntityManager, notification: NewNotification): Promise<Acceptance> {
    this.database.checkInTransaction(manager);
    const fanned = await this.fanOut.of([{ notification }], manager, () => null);
    await this.store.storeWithin(manager, notification, fanned);
    const triggers = [...fanned.triggers.values()].flat();
    this.whenCommitted(manager, triggers);
    return { notification, triggers: triggers.map(toAccepted), replayed: false };
  }

  /** Writes notifications through the manager of a short transaction of our own. When it commits, the triggers are due. */
  async acceptAllWithin(manager: EntityManager, notifications: NewNotification[]): Promise<void> {
    const batch = notifications.map((notification) => ({ notification }));
    const fanned = await this.fanOut.of(batch, manager, () => null);
    await this.store.storeAllWithin(manager, fanned);
    this.whenCommitted(manager, [...fanned.triggers.values()].flat());
  }

  /**
   * Fans out, reserves capacity, and stores what is new. Then hands over the triggers that have reservations, and cancels
   * unused ones.
   *
   * @param earlier resolves once the batches before are committed: what a batch puts into groups must not be committed before what an earlier batch puts there.
   */
  private async commit(batch: Submission[], earlier: () => Promise<void>): Promise<Outcome[]> {
    const fanned = await this.fanOut.of(batch, null, this.handOver.lease);
    const firsts = await this.storeInOrder(fanned, earlier);
    const all = fanned.triggers;
    failpoint('accept-committed');
    const outcomes = batch.map((submission): Outcome => {
      const triggers = all.get(submission) ?? [];
      const first = firstOf(submission, firsts);
      if (!first) return { triggers: triggers.map(toAccepted) };
      this.handOver.cancel(triggers);
      all.delete(submission);
      return { first };
    });
    this.handOver.committed([...all.values()].flat());
    failpoint('accept-handed-over');
    return outcomes;
  }

  private async storeInOrder(fanned: Fanned, earlier: () => Promise<void>): Promise<FirstCalls> {
    const triggers = [...fanned.triggers.values()].flat();
    try {
      if (triggers.some(isOrdered)) await earlier();
      return await this.store.store(fanned);
    } catch (error) {
      this.handOver.cancel(triggers);
      throw error;
    }
  }

  /** The triggers have been due since they were written; the commit may come much later. */
  private whenCommitted(manager: EntityManager, triggers: NewTrigger[]): void {
    if (triggers.length > 0) this.database.onCommit(manager, () => this.handOver.signalWaiting(triggers));
  }
}

function unavailable(error: unknown): never {
  if (error instanceof OutcomeUnknownError) throw outcomeUnknown();
  // Somebody else is storing something under this key, or has locked it.
  if (error instanceof LockedRowsError) throw keyInUse();
  throw isDatabaseUnavailable(error) ? databaseUnavailable(error) : error;
}

const toAccepted = ({ id, webhookId }: NewTrigger): AcceptedTrigger => ({ id, webhookId });
