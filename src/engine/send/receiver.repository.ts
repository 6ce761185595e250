import { Injectable } from '@nestjs/common';
import { type FindOptionsWhere, In } from 'typeorm';
import { Database } from '../../store/database.js';
import { EventEntity } from '../../store/tables/webhook/event.entity.js';
import { WebhookEntity } from '../../store/tables/webhook/webhook.entity.js';

/** A webhook that may be sent to, and its enabled subscriptions. */
export interface ReceiverRow {
  webhook: WebhookEntity;
  eventIds: Set<string>;
}

@Injectable()
export class ReceiverRepository {
  constructor(private readonly database: Database) {}

  /** The enabled ones among these webhooks. */
  enabled(ids: string[]): Promise<Map<string, ReceiverRow>> {
    return this.find(ids, { enabled: true });
  }

  /** A webhook that was disabled as `failing` and is being probed with this trigger. */
  async probed(id: string, triggerId: string): Promise<ReceiverRow | null> {
    const found = await this.find([id], { disabledReason: 'failing', probeId: triggerId });
    return found.get(id) ?? null;
  }

  private async find(
    ids: string[],
    where: FindOptionsWhere<WebhookEntity>,
  ): Promise<Map<string, ReceiverRow>> {
    const [webhooks, subscriptions] = await this.database.run((manager) =>
      Promise.all([
        manager.find(WebhookEntity, { where: { ...where, id: In(ids) } }),
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
        { webhook, eventIds: new Set((byWebhook.get(webhook.id) ?? []).map(({ id }) => id)) },
      ]),
    );
  }
}
