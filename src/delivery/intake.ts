import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Batcher } from '../common/batcher.js';
import { failpoint } from '../common/failpoint.js';
import { newId } from '../common/ids.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { IdempotencyEntity } from '../idempotency/idempotency.entity.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import { checkSameRequest, type IdempotentCall } from '../idempotency/idempotency-keys.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { Dispatcher } from './dispatcher.js';
import { Instance } from './instance.js';
import {
  IntakeRepository,
  type NewNotification,
  type NewTrigger,
  type Subscription,
  subscriptionKey,
} from './intake.repository.js';
import type { LeasedTrigger } from './leased-trigger.js';

const MAX_BATCH = 500;
/** Where an application has the process. */
const GENTLE_BATCH = 25;

/** A trigger of a notification that is stored, and the webhook that will get it. */
export interface AcceptedTrigger {
  id: string;
  webhookId: string;
}

export interface Submission {
  notification: NewNotification;
  /** For a test: the one webhook that is to get it, subscribed or not. */
  testOf?: string;
  /** The idempotency key under which it comes. */
  call?: IdempotentCall | null;
}

/** What is stored of a submission; `replayed` where an earlier call with the same idempotency key stored it. */
export interface Acceptance {
  notification: Pick<NewNotification, 'id' | 'eventKind' | 'triggeredAt'>;
  triggers: AcceptedTrigger[];
  replayed: boolean;
}

type Outcome = { triggers: AcceptedTrigger[] } | { first: IdempotencyEntity };

/** Promises to send a trigger at once. @returns the instance that will; null where it has to wait to be claimed. */
type Lease = (webhookId: string, userId: string) => string | null;

interface Written {
  /** What came before, by the hash of its call. */
  earlier: Map<string, IdempotencyEntity>;
  fresh: Map<Submission, NewTrigger[]>;
}

const NONE_EARLIER: Written['earlier'] = new Map();

/** Accepts notifications: a notification and a trigger for each subscribed webhook, in one transaction. */
@Injectable()
export class Intake {
  private readonly batcher: Batcher<Submission, Outcome>;
  private readonly onDue = () => this.signals.onDue();

  constructor(
    private readonly database: Database,
    private readonly repository: IntakeRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly dispatcher: Dispatcher,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    private readonly metrics: DeliveryMetrics,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.batcher = new Batcher((batch) => this.commit(batch), {
      maxItems: settings.delivery.gentle ? GENTLE_BATCH : MAX_BATCH,
      parallel: database.parallelCommits,
    });
  }

  /**
   * Resolves when all of it is committed; rejects where nothing is.
   *
   * @throws Problem 422 `idempotency_key_reused`
   */
  async accept(submission: Submission): Promise<Acceptance> {
    const start = performance.now();
    const outcome = await this.batcher.add(submission);
    if ('triggers' in outcome) {
      this.metrics.accepted(outcome.triggers.length, (performance.now() - start) / 1000);
      return { ...outcome, notification: submission.notification, replayed: false };
    }
    if (submission.call) checkSameRequest(outcome.first, submission.call);
    return { ...(await this.repository.acceptance(outcome.first.subjectId)), replayed: true };
  }

  /** Writes through the caller's manager: it becomes due, and is looked for at once, if and when the caller commits. */
  async acceptWithin(manager: EntityManager, notification: NewNotification): Promise<Acceptance> {
    if (!this.database.isInTransaction(manager)) return this.accept({ notification });
    const triggers = [...(await this.write(manager, [{ notification }], () => null)).values()].flat();
    this.database.onCommit(manager, this.onDue);
    return { notification, triggers: triggers.map(toAccepted), replayed: false };
  }

  private async commit(batch: Submission[]): Promise<Outcome[]> {
    const reserved: string[] = [];
    const lease: Lease = (webhookId, userId) => {
      if (!this.dispatcher.reserve(webhookId, userId)) return null;
      reserved.push(webhookId);
      return this.instance.id;
    };
    try {
      const { earlier, fresh } = batch.some(({ call }) => call)
        ? await this.writeOnce(batch, lease, reserved)
        : { earlier: NONE_EARLIER, fresh: await this.write(null, batch, lease) };
      failpoint('accept-committed');
      this.handOver([...fresh.values()].flat());
      failpoint('accept-handed-over');
      return batch.map((submission) => {
        const taken = submission.call && earlier.get(submission.call.hash);
        return taken ? { first: taken } : { triggers: (fresh.get(submission) ?? []).map(toAccepted) };
      });
    } catch (error) {
      this.dispatcher.unreserve(reserved);
      throw error;
    }
  }

  /** Leaves out what came before under the same idempotency key. */
  private writeOnce(batch: Submission[], lease: Lease, reserved: string[]): Promise<Written> {
    return this.database.transaction(async (manager) => {
      failpoint('accept-begun');
      // A transaction that is run again reserves again.
      this.dispatcher.unreserve(reserved.splice(0));
      const earlier = await this.takeKeys(manager, batch);
      const first = batch.filter(({ call }) => !call || !earlier.has(call.hash));
      const fresh = await this.write(manager, first, lease);
      failpoint('accept-written');
      return { earlier, fresh };
    });
  }

  private takeKeys(manager: EntityManager, batch: Submission[]): Promise<Map<string, IdempotencyEntity>> {
    const rows = batch.flatMap(({ call, notification }) =>
      call
        ? [{ ...call, subjectId: notification.id, sealedAnswer: null, createdAt: notification.triggeredAt }]
        : [],
    );
    return rows.length > 0 ? this.idempotency.claim(manager, rows) : Promise.resolve(new Map());
  }

  /** @param manager of the transaction that it is to be part of; null for one of its own. */
  private async write(
    manager: EntityManager | null,
    batch: Submission[],
    lease: Lease,
  ): Promise<Map<Submission, NewTrigger[]>> {
    const notifications = batch.map(({ notification }) => notification);
    const subscriptions = await this.repository.subscriptions(notifications, manager);
    const fresh = new Map(
      batch.map((submission) => {
        const { notification, testOf } = submission;
        const to = testOf
          ? [{ webhookId: testOf, eventId: null }]
          : (subscriptions.get(subscriptionKey(notification)) ?? []);
        return [
          submission,
          to.map((one) => newTrigger(notification, one, lease(one.webhookId, notification.userId))),
        ];
      }),
    );
    await this.repository.insert(manager, notifications, [...fresh.values()].flat());
    return fresh;
  }

  private handOver(fresh: NewTrigger[]): void {
    this.dispatcher.offer(fresh.filter((trigger) => trigger.leasedBy !== null).map(toLeased));
    if (fresh.some((trigger) => trigger.leasedBy === null)) this.signals.onDue();
  }
}

function newTrigger(
  notification: NewNotification,
  { webhookId, eventId }: { webhookId: string; eventId: Subscription['eventId'] | null },
  leasedBy: string | null,
): NewTrigger {
  return { id: newId(), notification, webhookId, eventId, leasedBy };
}

const toAccepted = ({ id, webhookId }: NewTrigger): AcceptedTrigger => ({ id, webhookId });

const toLeased = ({ id, webhookId, eventId, notification }: NewTrigger): LeasedTrigger => ({
  id,
  webhookId,
  eventId,
  eventKind: notification.eventKind,
  lease: 1,
  attemptCount: 0,
  scheduleOffset: 0,
  notification,
});
