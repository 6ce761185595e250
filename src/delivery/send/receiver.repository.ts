import { Injectable } from '@nestjs/common';
import { In, IsNull, LessThanOrEqual, MoreThan } from 'typeorm';
import { Database } from '../../database/database.js';
import { EventEntity } from '../../event/event.entity.js';
import { TriggerRepository } from '../../trigger/trigger.repository.js';
import { type DisabledReason, WebhookEntity } from '../../webhook/webhook.entity.js';
import type { FailingSpan } from '../settle/failing-span.js';

/** A webhook that may be sent to, and its enabled subscriptions. */
export interface ReceiverRow {
  webhook: WebhookEntity;
  subscriptionIds: Set<string>;
}

/** A webhook as it was when an attempt was made to it. */
interface SeenWebhook {
  webhookId: string;
  generation: number;
  failing: FailingSpan | null;
}

/** A webhook that the service switched off, and since when the application has not been told. */
export interface DisabledWebhook {
  webhookId: string;
  userId: string;
  reason: DisabledReason;
  untoldSince: number;
}

/** Told of in one go. */
const MAX_UNTOLD = 100;

@Injectable()
export class ReceiverRepository {
  constructor(
    private readonly database: Database,
    private readonly triggers: TriggerRepository,
  ) {}

  /** The enabled ones among these webhooks. */
  async enabled(ids: string[]): Promise<Map<string, ReceiverRow>> {
    const [webhooks, subscriptions] = await this.database.run((manager) =>
      Promise.all([
        manager.find(WebhookEntity, { where: { id: In(ids), enabled: true } }),
        manager.find(EventEntity, {
          select: { id: true, webhookId: true },
          where: { webhookId: In(ids), enabled: true },
        }),
      ]),
    );
    const byWebhook = Map.groupBy(subscriptions, (subscription) => subscription.webhookId);
    return new Map(
      webhooks.map((webhook) => [
        webhook.id,
        { webhook, subscriptionIds: new Set((byWebhook.get(webhook.id) ?? []).map(({ id }) => id)) },
      ]),
    );
  }

  /** Notes a span of failures where it is still the one that was seen. */
  async setFailing(seen: SeenWebhook, { since, quarters }: FailingSpan): Promise<void> {
    const { webhookId: id, generation, failing } = seen;
    await this.database.run((manager) =>
      manager.update(
        WebhookEntity,
        { id, generation, failingSince: failing?.since ?? IsNull(), failingQuarters: failing?.quarters ?? 0 },
        { failingSince: since, failingQuarters: quarters },
      ),
    );
  }

  /** Forgets failures of attempts that began before this time. */
  async clearFailing({ webhookId: id, generation }: SeenWebhook, time: number): Promise<void> {
    await this.database.run((manager) =>
      manager.update(
        WebhookEntity,
        { id, generation, failingSince: LessThanOrEqual(time) },
        { failingSince: null, failingQuarters: 0 },
      ),
    );
  }

  /**
   * Switches a webhook off, with what waits for it, where it is still the one that the attempt was made to and, as one
   * that fails, has been failing since the same time.
   *
   * @returns false where it is not.
   */
  disable(
    { webhookId, generation, failing }: SeenWebhook,
    reason: DisabledReason,
    now: number,
  ): Promise<boolean> {
    const seen = { id: webhookId, generation, enabled: true };
    const since = reason === 'failing' ? { failingSince: failing?.since ?? IsNull() } : {};
    return this.database.transaction(async (manager) => {
      const { affected } = await manager.update(
        WebhookEntity,
        { ...seen, ...since },
        { enabled: false, disabledReason: reason, untoldSince: now, updatedAt: now },
      );
      if (!affected) return false;
      await this.triggers.cancelPending(manager, { webhookId }, now);
      return true;
    });
  }

  /** Webhooks of whose end the application has not been told for so long; after a step of the clock, sooner. */
  async untold(now: number, overdueMs: number): Promise<DisabledWebhook[]> {
    const rows = await this.database.run((manager) =>
      manager.find(WebhookEntity, {
        where: [
          { untoldSince: LessThanOrEqual(now - overdueMs) },
          { untoldSince: MoreThan(now + overdueMs) },
        ],
        take: MAX_UNTOLD,
      }),
    );
    return rows.map(({ id, userId, disabledReason, untoldSince }) => ({
      webhookId: id,
      userId,
      reason: disabledReason as DisabledReason,
      untoldSince: untoldSince as number,
    }));
  }

  /** @param to null for one that has been told. @returns false where another process has changed it. */
  async setUntold({ webhookId: id, untoldSince }: DisabledWebhook, to: number | null): Promise<boolean> {
    const { affected } = await this.database.run((manager) =>
      manager.update(WebhookEntity, { id, untoldSince }, { untoldSince: to }),
    );
    return (affected ?? 0) > 0;
  }
}
