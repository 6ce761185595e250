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
    const [triggers = []] = await this.write(manager, [{ notification }], () => null);
    this.database.onCommit(manager, this.onDue);
    return { notification, triggers: triggers.map(toAccepted), replayed: false };
  }

  private async commit(batch: Submission[]): Promise<Outcome[]> {
    const reserved: string[] = [];
    const lease = (webhookId: string, userId: string) => {
      if (!this.dispatcher.reserve(webhookId, userId)) return null;
      reserved.push(webhookId);
      return this.instance.id;
    };
    try {
      const { earlier, fresh } = await this.database.transaction(async (manager) => {
        failpoint('accept-begun');
        // A transaction that is run again reserves again.
        this.dispatcher.unreserve(reserved.splice(0));
        const earlier = await this.takeKeys(manager, batch);
        const first = batch.filter(({ call }) => !call || !earlier.has(call.hash));
        const written = await this.write(manager, first, lease);
        failpoint('accept-written');
        return {
          earlier,
          fresh: new Map(first.map((submission, index) => [submission, written[index] ?? []])),
        };
      });
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

  private takeKeys(manager: EntityManager, batch: Submission[]): Promise<Map<string, IdempotencyEntity>> {
    const rows = batch.flatMap(({ call, notification }) =>
      call
        ? [{ ...call, subjectId: notification.id, sealedAnswer: null, createdAt: notification.triggeredAt }]
        : [],
    );
    return rows.length > 0 ? this.idempotency.claim(manager, rows) : Promise.resolve(new Map());
  }

  private async write(
    manager: EntityManager,
    batch: Submission[],
    lease: (webhookId: string, userId: string) => string | null,
  ): Promise<NewTrigger[][]> {
    const notifications = batch.map(({ notification }) => notification);
    const subscriptions = await this.repository.subscriptions(manager, notifications);
    const fresh = batch.map(({ notification, testOf }) => {
      const to = testOf
        ? [{ webhookId: testOf, eventId: null }]
        : (subscriptions.get(subscriptionKey(notification)) ?? []);
      return to.map((one) => newTrigger(notification, one, lease(one.webhookId, notification.userId)));
    });
    await this.repository.insertNotifications(manager, notifications);
    await this.repository.insertTriggers(manager, fresh.flat());
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
