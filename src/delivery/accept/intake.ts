import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Batcher } from '../../common/batcher.js';
import { currentCall } from '../../common/call.js';
import { isAboutData, isDatabaseUnavailable, OutcomeUnknownError } from '../../common/database-error.js';
import { failpoint } from '../../common/failpoint.js';
import { databaseUnavailable, outcomeUnknown } from '../../common/problem.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import type { IdempotencyEntity } from '../../idempotency/idempotency.entity.js';
import {
  type FirstCall,
  type FirstCalls,
  IdempotencyRepository,
} from '../../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall } from '../../idempotency/idempotency-keys.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { QueueTime } from '../../trigger/queue-time.js';
import { Instance } from '../recover/instance.js';
import { DeliveryMetrics } from '../report/delivery-metrics.js';
import { Dispatcher } from '../send/dispatcher.js';
import {
  IntakeRepository,
  isTest,
  type NewNotification,
  type NewTrigger,
  subscriptionKey,
} from './intake.repository.js';
import { isLeased, newTrigger, toLeased } from './new-trigger.js';

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

export interface Submission {
  notification: NewNotification;
  /** For a test, the id of the one webhook that gets it, subscribed or not. */
  testOf?: string;
  /** The call's idempotency key, if it has one. */
  call?: IdempotentCall | null;
}

/** A stored submission; `replayed` if an earlier call with the same idempotency key stored it. */
export interface Acceptance {
  notification: Pick<NewNotification, 'id' | 'eventKind' | 'triggeredAt'>;
  triggers: AcceptedTrigger[];
  replayed: boolean;
}

type Outcome = { triggers: AcceptedTrigger[] } | { first: FirstCall };

/** The triggers of each submission. */
type Fanned = Map<Submission, NewTrigger[]>;

/**
 * Reserves a place to send a trigger at once. @returns the instance that will send it; null if it has to wait to be
 * claimed.
 */
type Lease = (webhookId: string, userId: string, isTest: boolean) => string | null;

/** Accepts notifications: stores each, with a trigger for every subscribed webhook, in one transaction. */
@Injectable()
export class Intake {
  private readonly batcher: Batcher<Submission, Outcome>;

  constructor(
    private readonly database: Database,
    private readonly repository: IntakeRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly dispatcher: Dispatcher,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    private readonly metrics: DeliveryMetrics,
    private readonly time: QueueTime,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.batcher = new Batcher((batch) => this.commit(batch), {
      maxItems: settings.delivery.gentle ? GENTLE_BATCH : MAX_BATCH,
      parallel: database.parallelCommits,
      bytesOf: ({ notification }) => notification.body.length,
      isAboutItem: isAboutData,
    });
  }

  /**
   * Resolves when everything is committed; rejects if nothing is, or if the outcome is unknown.
   *
   * @throws Problem 422 `idempotency_key_reused`, 503 `database_unavailable`
   */
  async accept(submission: Submission): Promise<Acceptance> {
    const start = performance.now();
    const outcome = await this.batcher.add(submission, currentCall()).catch(unavailable);
    if ('triggers' in outcome) {
      this.metrics.accepted(outcome.triggers.length, (performance.now() - start) / 1000);
      return { ...outcome, notification: submission.notification, replayed: false };
    }
    if (submission.call) checkSameRequest(outcome.first, submission.call);
    return { ...(await this.repository.acceptance(outcome.first.subjectId)), replayed: true };
  }

  /**
   * Writes through the caller's manager. When the caller commits, the triggers are due and a look for them starts at
   * once.
   */
  async acceptWithin(manager: EntityManager, notification: NewNotification): Promise<Acceptance> {
    if (!this.database.isInTransaction(manager)) return this.accept({ notification });
    const fanned = await this.fanOut([{ notification }], manager, () => null);
    const triggers = [...fanned.values()].flat();
    await this.repository.insert(manager, [notification], triggers);
    // They have been due since they were written; the caller may commit much later.
    const { dueAt } = triggers[0] ?? {};
    if (dueAt !== undefined) this.database.onCommit(manager, () => this.signals.emit('due', dueAt));
    return { notification, triggers: triggers.map(toAccepted), replayed: false };
  }

  /**
   * Fans out, reserves places, and stores what is new. Then hands over the triggers that have places, and frees unused
   * ones.
   */
  private async commit(batch: Submission[]): Promise<Outcome[]> {
    const fanned = await this.fanOut(batch, null, this.lease);
    let firsts: FirstCalls;
    try {
      firsts = await this.store(fanned);
    } catch (error) {
      this.unreserve([...fanned.values()].flat());
      throw error;
    }
    failpoint('accept-committed');
    const outcomes = batch.map((submission): Outcome => {
      const triggers = fanned.get(submission) ?? [];
      const first = firstOf(submission, firsts);
      if (!first) return { triggers: triggers.map(toAccepted) };
      this.unreserve(triggers);
      fanned.delete(submission);
      return { first };
    });
    this.handOver([...fanned.values()].flat());
    failpoint('accept-handed-over');
    return outcomes;
  }

  private async fanOut(batch: Submission[], manager: EntityManager | null, lease: Lease): Promise<Fanned> {
    const notifications = batch.map(({ notification }) => notification);
    const dueAt = this.time.now();
    const subscriptions = await this.repository.subscriptions(notifications, manager);
    return new Map(
      batch.map((submission) => {
        const { notification, testOf } = submission;
        const to = testOf
          ? [{ webhookId: testOf, subscriptionId: null }]
          : (subscriptions.get(subscriptionKey(notification)) ?? []);
        return [
          submission,
          to.map((one) =>
            newTrigger(
              notification,
              one,
              lease(one.webhookId, notification.userId, testOf !== undefined),
              dueAt,
            ),
          ),
        ];
      }),
    );
  }

  /** Stores the batch, leaving out repeated idempotency keys. @returns the first call of each key. */
  private async store(fanned: Fanned): Promise<FirstCalls> {
    const batch = [...fanned.keys()];
    if (!batch.some(({ call }) => call)) {
      await this.insert(null, batch, fanned);
      return NO_KEYS;
    }
    return this.database.transaction(async (manager) => {
      failpoint('accept-begun');
      const firsts = await this.idempotency.claim(manager, batch.flatMap(keyed));
      const fresh = batch.filter((submission) => !firstOf(submission, firsts));
      await this.insert(manager, fresh, fanned);
      failpoint('accept-written');
      return firsts;
    });
  }

  private insert(manager: EntityManager | null, batch: Submission[], fanned: Fanned): Promise<void> {
    const notifications = batch.map(({ notification }) => notification);
    const triggers = batch.flatMap((submission) => fanned.get(submission) ?? []);
    return this.repository.insert(manager, notifications, triggers);
  }

  private readonly lease: Lease = (webhookId, userId, isTest) =>
    this.dispatcher.reserve(webhookId, userId, isTest) ? this.instance.id : null;

  private unreserve(triggers: NewTrigger[]): void {
    this.dispatcher.unreserve(triggers.filter(isLeased).map(({ webhookId }) => webhookId));
  }

  private handOver(fresh: NewTrigger[]): void {
    this.dispatcher.offer(fresh.filter(isLeased).map(toLeased));
    const waiting = fresh.filter((trigger) => !isLeased(trigger));
    const [first] = waiting;
    if (first) this.signals.emit('due', first.dueAt);
    if (waiting.some(isTest)) this.signals.emit('urgent');
  }
}

/** The first calls of a batch without keys. */
const NO_KEYS: FirstCalls = new Map();

/** The earlier call that took this submission's key; null if the submission itself did. */
function firstOf({ call, notification }: Submission, firsts: FirstCalls): FirstCall | null {
  const first = call && firsts.get(call.hash);
  return first && first.subjectId !== notification.id ? first : null;
}

const keyed = ({ call, notification }: Submission): IdempotencyEntity[] =>
  call
    ? [{ ...call, subjectId: notification.id, sealedAnswer: null, createdAt: notification.triggeredAt }]
    : [];

function unavailable(error: unknown): never {
  if (error instanceof OutcomeUnknownError) throw outcomeUnknown();
  throw isDatabaseUnavailable(error) ? databaseUnavailable() : error;
}

const toAccepted = ({ id, webhookId }: NewTrigger): AcceptedTrigger => ({ id, webhookId });
