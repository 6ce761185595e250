import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { IdempotentCall } from '../../idempotency/idempotency-keys.js';
import { type BatchFilters, EventFilters } from '../filter/event-filters.service.js';
import { NEVER_DUE } from '../ledger/never-due.js';
import { QueueTime } from '../ledger/queue-time.js';
import { positionOf } from '../ordering/ordering-key.js';
import type { NewNotification, NewTrigger } from './accept.repository.js';
import type { NamedSets } from './decision-sets.js';
import { newTrigger } from './new-trigger.js';
import { type Filtered, type Skipped, setIdOf, withFiltered } from './skipped.js';
import { SubscriberRepository, type Subscribers } from './subscribers.repository.js';

export interface Submission {
  notification: NewNotification;
  /** For a test, the id of the one webhook that gets it, subscribed or not. */
  testOf?: string;
  /** The call's idempotency key, if it has one. */
  call?: IdempotentCall | null;
}

/** What is to be stored with a batch of notifications. */
export interface Fanned {
  /** The triggers of each submission. */
  triggers: Map<Submission, NewTrigger[]>;
  /** The decision sets that the notifications name. */
  sets: NamedSets;
}

/**
 * Reserves a place to send a trigger at once. @returns the instance that will send it; null if it has to wait to be
 * claimed.
 */
export type Lease = (webhookId: string, userId: string, isTest: boolean) => string | null;

/** Makes a trigger for each webhook that gets a notification, and notes which webhooks do not. */
@Injectable()
export class FanOut {
  constructor(
    private readonly repository: SubscriberRepository,
    private readonly filters: EventFilters,
    private readonly time: QueueTime,
  ) {}

  async of(batch: Submission[], manager: EntityManager | null, lease: Lease): Promise<Fanned> {
    const dueAt = this.time.now();
    // A test is decided without the subscriptions.
    const asked = batch.flatMap(({ notification, testOf }) => (testOf ? [] : [notification]));
    const subscribersOf = await this.repository.of(asked, manager);
    const all = [...new Set(asked.map(subscribersOf))];
    const filters = await this.filters.of(
      all.flatMap(({ subscriptions }) => subscriptions),
      manager,
    );
    const sets = new SetNames();
    const triggers = new Map<Submission, NewTrigger[]>();
    for (const submission of batch) {
      const { notification, testOf } = submission;
      const { subscriptions, skipped } = testOf
        ? testAudience(testOf)
        : await this.audienceOf(subscribersOf(notification), notification, filters);
      notification.decisionSet = skipped === '' ? null : sets.nameOf(skipped);
      const isTest = testOf !== undefined;
      triggers.set(
        submission,
        subscriptions.map((one) => {
          const position = one.orderingRule && positionOf(one.webhookId, notification, one.orderingRule);
          return position
            ? newTrigger(notification, one, { leasedBy: null, dueAt: NEVER_DUE, position })
            : newTrigger(notification, one, {
                leasedBy: lease(one.webhookId, notification.userId, isTest),
                dueAt,
                position: null,
              });
        }),
      );
    }
    return { triggers, sets: sets.named };
  }

  private audienceOf(
    subscribers: Subscribers,
    notification: NewNotification,
    filters: BatchFilters,
  ): Subscribers | Promise<Subscribers> {
    const others = withoutItself(subscribers, notification);
    return filters.isEmpty ? others : filtered(others, notification, filters);
  }
}

/** Names each set of a batch once: most notifications of a user and a kind have the same. */
class SetNames {
  readonly named: NamedSets = new Map();
  private readonly names = new Map<Skipped, string>();

  nameOf(skipped: Skipped): string {
    const known = this.names.get(skipped);
    if (known !== undefined) return known;
    const id = setIdOf(skipped);
    this.names.set(skipped, id);
    this.named.set(id, skipped);
    return id;
  }
}

const testAudience = (webhookId: string) => ({
  subscriptions: [{ webhookId, eventId: null, orderingRule: null }],
  skipped: '',
});

/** No webhook is told of itself. */
function withoutItself(subscribers: Subscribers, { aboutWebhookId }: NewNotification): Subscribers {
  if (aboutWebhookId === null) return subscribers;
  return without(subscribers, (webhookId) => webhookId === aboutWebhookId, [
    { webhookId: aboutWebhookId, part: null },
  ]);
}

/** Leaves out those whose filters do not match. */
async function filtered(
  subscribers: Subscribers,
  { body }: NewNotification,
  filters: BatchFilters,
): Promise<Subscribers> {
  const unmatched = await filters.unmatched(subscribers.subscriptions, body);
  const out = new Map(unmatched.map(({ one, part }) => [one.webhookId, part]));
  return without(
    subscribers,
    (webhookId) => out.has(webhookId),
    [...out].map(([webhookId, part]) => ({ webhookId, part })),
  );
}

function without(
  { subscriptions, skipped }: Subscribers,
  isOut: (webhookId: string) => boolean,
  out: Filtered[],
): Subscribers {
  const left = subscriptions.filter(({ webhookId }) => !isOut(webhookId));
  if (left.length === subscriptions.length) return { subscriptions, skipped };
  return { subscriptions: left, skipped: withFiltered(skipped, out) };
}
