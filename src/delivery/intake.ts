import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Batcher } from '../common/batcher.js';
import { newId } from '../common/ids.js';
import { Database } from '../database/database.js';
import { QueueSignals } from '../trigger/queue-signals.js';
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

export interface AcceptedTrigger {
  id: string;
  webhookId: string;
}

/** A notification, and for a test the one webhook that is to get it, subscribed or not. */
interface Submission {
  notification: NewNotification;
  testOf?: string;
}

/** Accepts notifications: a notification and a trigger for each subscribed webhook, in one transaction. */
@Injectable()
export class Intake {
  private readonly batcher = new Batcher<Submission, AcceptedTrigger[]>(
    (batch) => this.commit(batch),
    MAX_BATCH,
  );

  constructor(
    private readonly database: Database,
    private readonly repository: IntakeRepository,
    private readonly dispatcher: Dispatcher,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
  ) {}

  /** Resolves when all of it is committed; rejects where nothing is. */
  accept(notification: NewNotification): Promise<AcceptedTrigger[]> {
    return this.batcher.add({ notification });
  }

  /** The same for one webhook, whatever it is subscribed to. */
  acceptTest(notification: NewNotification, webhookId: string): Promise<AcceptedTrigger[]> {
    return this.batcher.add({ notification, testOf: webhookId });
  }

  /** Writes through the caller's manager: it becomes due when, and only if, the caller commits. */
  async acceptWithin(manager: EntityManager, notification: NewNotification): Promise<AcceptedTrigger[]> {
    const [triggers = []] = await this.write(manager, [{ notification }], () => null);
    return triggers.map(toAccepted);
  }

  private async commit(batch: Submission[]): Promise<AcceptedTrigger[][]> {
    const reserved: string[] = [];
    const lease = (webhookId: string) => {
      if (!this.dispatcher.reserve(webhookId)) return null;
      reserved.push(webhookId);
      return this.instance.id;
    };
    let fresh: NewTrigger[][];
    try {
      fresh = await this.database.transaction((manager) => {
        // A transaction that is run again reserves again.
        this.dispatcher.unreserve(reserved.splice(0));
        return this.write(manager, batch, lease);
      });
    } catch (error) {
      this.dispatcher.unreserve(reserved);
      throw error;
    }
    this.handOver(fresh.flat());
    return fresh.map((triggers) => triggers.map(toAccepted));
  }

  private async write(
    manager: EntityManager,
    batch: Submission[],
    lease: (webhookId: string) => string | null,
  ): Promise<NewTrigger[][]> {
    const notifications = batch.map(({ notification }) => notification);
    const subscriptions = await this.repository.subscriptions(manager, notifications);
    const fresh = batch.map(({ notification, testOf }) => {
      const to = testOf
        ? [{ webhookId: testOf, eventId: null }]
        : (subscriptions.get(subscriptionKey(notification)) ?? []);
      return to.map((one) => newTrigger(notification, one, lease(one.webhookId)));
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
  lease: 1,
  attemptCount: 0,
  scheduleOffset: 0,
  notification,
});
