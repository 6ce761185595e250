import { Inject, Injectable } from '@nestjs/common';
import type { Filter } from '../engine/filter/filter.js';
import { storedFilter } from '../engine/filter/stored-filter.js';
import { QueueSignals } from '../engine/ledger/queue-signals.js';
import { WebhookSwitch } from '../engine/ledger/webhook-switch.repository.js';
import { UserMoves } from '../move/user-move.repository.js';
import type { Owner } from '../platform/access/owner.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { newId } from '../platform/ids/ids.js';
import { parseMarked, writeExactly } from '../platform/json/exact-json.js';
import { notFound, Problem } from '../platform/problem.js';
import type { Deleted } from '../rest/deleted.js';
import { parseBody } from '../rest/validation.js';
import { Database } from '../store/database.js';
import type { EventEntity } from '../store/tables/webhook/event.entity.js';
import { newEventInput, updateEventBody } from './dto/event-body.js';
import { testFilterBody } from './dto/filter.dto.js';
import { EventRepository } from './event.repository.js';
import { EventKinds, type WebhookEventKind } from './event-kinds.js';
import { type FilterTest, testOf } from './filter-test.js';
import { type WebhookEvent, webhookEventOf } from './webhook-event.js';

/** A subscription to make. */
export interface NewWebhookEvent {
  /** The webhook that gets events of this kind. */
  webhookId: string;
  /** Upper snake case, such as `RECORD_FINISHED`. */
  kind: WebhookEventKind;
  /** While false, nothing of this kind is sent to the webhook. @default true */
  enabled?: boolean | undefined;
  /** Only notifications that match it are sent to the webhook. @default null, for all */
  filter?: Filter | null | undefined;
}

/** The new state of an event: at least one field beside the id. */
export interface WebhookEventChange {
  /** The event's id. */
  id: string;
  /** While false, nothing of this kind is sent to the webhook. */
  enabled?: boolean | undefined;
  /** Decides about the notifications that are accepted from now on; null lets all through. */
  filter?: Filter | null | undefined;
}

/** What to send: the kinds that each webhook subscribes to. */
@Injectable()
export class EventService {
  private readonly newEvent: ReturnType<typeof newEventInput>;

  constructor(
    private readonly database: Database,
    private readonly events: EventRepository,
    private readonly moves: UserMoves,
    private readonly webhookSwitch: WebhookSwitch,
    private readonly signals: QueueSignals,
    kinds: EventKinds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.newEvent = newEventInput(kinds.field());
  }

  /**
   * Subscribes a webhook to a kind of event.
   *
   * @throws Problem 400 naming every bad field, 404 for the webhook, 409 `event_already_exists`, 409 `user_moved`
   */
  async create(owner: Owner, input: NewWebhookEvent): Promise<WebhookEvent> {
    const { webhookId, kind, enabled, filter } = parseBody(this.newEvent, input);
    const plain = { id: newId(), webhookId, kind, enabled, createdAt: this.clock.now() };
    const event = { ...plain, ...storedFilter(filter as Filter | null) };
    const userId = await this.events.insertOfWebhook(owner, event);
    if (userId === 'duplicate') throw alreadyExists(kind);
    if (userId === null) throw notFound('webhook');
    this.signals.emit('webhookChanged', webhookId);
    return webhookEventOf({ ...event, userId });
  }

  /**
   * Switches an event on or off, or gives it another filter. Switching it off cancels its waiting triggers.
   *
   * @throws Problem 400, 404, 409 `user_moved`
   */
  async update(owner: Owner, change: WebhookEventChange): Promise<WebhookEvent> {
    const { id, enabled, filter } = parseBody(updateEventBody, change);
    const event = await this.find(owner, id);
    const changes = {
      ...(enabled === undefined ? {} : { enabled }),
      ...(filter === undefined ? {} : storedFilter(filter as Filter | null)),
    };
    await this.database.transaction(async (manager) => {
      await this.events.lockWebhook(manager, event.webhookId);
      await this.moves.checkStays(manager, event.userId);
      await this.events.update(manager, id, changes);
      if (filter) await this.events.checkFilters(manager, event.webhookId);
      if (enabled === false) await this.cancel(manager, event);
    });
    this.signals.emit('webhookChanged', event.webhookId);
    return webhookEventOf({ ...event, ...changes });
  }

  /** Ends a subscription, and cancels its waiting triggers. @throws Problem 404, 409 `user_moved` */
  async delete(owner: Owner, id: string): Promise<Deleted> {
    const event = await this.find(owner, id);
    await this.database.transaction(async (manager) => {
      await this.events.lockWebhook(manager, event.webhookId);
      await this.moves.checkStays(manager, event.userId);
      await this.events.delete(manager, [id]);
      await this.cancel(manager, event);
    });
    this.signals.emit('webhookChanged', event.webhookId);
    return { id, deleted: true };
  }

  /**
   * Says whether a filter would let a notification of this record through.
   *
   * @param record as it is reported; `analyses` counts as `analysis`. Whole numbers beyond 2^53 may be bigints.
   * @throws Problem 400
   */
  testFilter(filter: Filter | null, record: object): FilterTest {
    const checked = parseBody(testFilterBody, { filter, record });
    return testOf(checked.filter, parseMarked(writeExactly(checked.record)) as object);
  }

  private async find(owner: Owner, id: string): Promise<EventEntity> {
    const event = await this.events.find(owner, id);
    if (!event) throw notFound('event');
    return event;
  }

  private cancel(manager: Parameters<WebhookSwitch['cancelPending']>[0], event: EventEntity): Promise<void> {
    const of = { webhookId: event.webhookId, eventIds: [event.id] };
    return this.webhookSwitch.cancelPending(manager, of, this.clock.now());
  }
}

function alreadyExists(kind: string): Problem {
  return new Problem(
    409,
    'event_already_exists',
    `The webhook already has an event of the kind ${kind}; change that one.`,
  );
}
