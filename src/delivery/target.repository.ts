import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Database } from '../database/database.js';
import { EventEntity } from '../event/event.entity.js';
import { RequestHeadEntity } from '../trigger/request-head.entity.js';
import { type DisabledReason, WebhookEntity } from '../webhook/webhook.entity.js';

/** A webhook that may be sent to, and its events that are on. */
export interface TargetRow {
  webhook: WebhookEntity;
  eventIds: Set<string>;
}

@Injectable()
export class TargetRepository {
  constructor(private readonly database: Database) {}

  /** The enabled ones among these webhooks. */
  async enabled(ids: string[]): Promise<Map<string, TargetRow>> {
    const { manager } = this.database;
    const [webhooks, events] = await Promise.all([
      manager.find(WebhookEntity, { where: { id: In(ids), enabled: true } }),
      manager.find(EventEntity, {
        select: { id: true, webhookId: true },
        where: { webhookId: In(ids), enabled: true },
      }),
    ]);
    const eventIds = Map.groupBy(events, (event) => event.webhookId);
    return new Map(
      webhooks.map((webhook) => [
        webhook.id,
        { webhook, eventIds: new Set((eventIds.get(webhook.id) ?? []).map((event) => event.id)) },
      ]),
    );
  }

  /** Another process may have stored them before. */
  async storeHeads(heads: RequestHeadEntity[]): Promise<void> {
    await this.database.transaction((manager) =>
      manager.createQueryBuilder().insert().into(RequestHeadEntity).values(heads).orIgnore().execute(),
    );
  }

  /** Notes since when a webhook has been failing; null for a webhook that works again. */
  async setFailingSince(id: string, failingSince: number | null): Promise<void> {
    await this.database.manager.update(WebhookEntity, { id }, { failingSince });
  }

  /** @returns false where it was off already. */
  async disable(id: string, reason: DisabledReason, now: number): Promise<boolean> {
    const { affected } = await this.database.manager.update(
      WebhookEntity,
      { id, enabled: true },
      { enabled: false, disabledReason: reason, updatedAt: now },
    );
    return (affected ?? 0) > 0;
  }
}
