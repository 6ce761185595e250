import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { newId } from '../common/ids.js';
import { notFound, Problem } from '../common/problem.js';
import { Database } from '../database/database.js';
import type { Owner } from '../rest/principal.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { TriggerRepository } from '../trigger/trigger.repository.js';
import type { EventEntity } from './event.entity.js';
import { EventRepository } from './event.repository.js';
import { EventKinds, type WebhookEventKind } from './event-kinds.js';

/** What to send: the kinds that each webhook subscribes to. */
@Injectable()
export class EventService {
  constructor(
    private readonly database: Database,
    private readonly events: EventRepository,
    private readonly triggers: TriggerRepository,
    private readonly signals: QueueSignals,
    private readonly kinds: EventKinds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Problem 400 for an unknown kind, 404 for the webhook, 409 `event_already_exists` */
  async create(
    owner: Owner,
    { webhookId, kind, enabled = true }: { webhookId: string; kind: WebhookEventKind; enabled?: boolean },
  ): Promise<EventEntity> {
    this.kinds.check(kind, 'kind');
    const event = { id: newId(), webhookId, kind, enabled, createdAt: this.clock.now() };
    const userId = await this.events.insertOfWebhook(owner, event);
    if (userId === 'duplicate') throw alreadyExists(kind);
    if (userId === null) throw notFound('webhook');
    return { ...event, userId };
  }

  /** Switching an event off cancels its waiting triggers. @throws Problem 404 */
  async setEnabled(owner: Owner, id: string, enabled: boolean): Promise<EventEntity> {
    const event = await this.find(owner, id);
    await this.database.transaction(async (manager) => {
      await this.events.setEnabled(manager, id, enabled);
      if (!enabled) await this.cancel(manager, event);
    });
    this.signals.emit('webhookChanged', event.webhookId);
    return { ...event, enabled };
  }

  /** Cancels its waiting triggers. @throws Problem 404 */
  async delete(owner: Owner, id: string): Promise<void> {
    const event = await this.find(owner, id);
    await this.database.transaction(async (manager) => {
      await this.events.delete(manager, [id]);
      await this.cancel(manager, event);
    });
    this.signals.emit('webhookChanged', event.webhookId);
  }

  private async find(owner: Owner, id: string): Promise<EventEntity> {
    const event = await this.events.find(owner, id);
    if (!event) throw notFound('event');
    return event;
  }

  private cancel(
    manager: Parameters<TriggerRepository['cancelPending']>[0],
    event: EventEntity,
  ): Promise<void> {
    const of = { webhookId: event.webhookId, eventIds: [event.id] };
    return this.triggers.cancelPending(manager, of, this.clock.now());
  }
}

function alreadyExists(kind: string): Problem {
  return new Problem(
    409,
    'event_already_exists',
    `The webhook already has an event of the kind ${kind}; change that one.`,
  );
}
