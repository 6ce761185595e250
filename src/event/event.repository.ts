import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { isDuplicate } from '../common/database-error.js';
import { Database } from '../database/database.js';
import { checkedOwner, type Owner } from '../rest/principal.js';
import type { EventInput } from './dto/event-body.js';
import { EventEntity } from './event.entity.js';
import { eventChanges, newEvent } from './event-list.js';

@Injectable()
export class EventRepository {
  constructor(private readonly database: Database) {}

  find(owner: Owner, id: string): Promise<EventEntity | null> {
    const owned = checkedOwner(owner) === null ? {} : { userId: owner as string };
    return this.database.run((manager) => manager.findOneBy(EventEntity, { id, ...owned }));
  }

  /**
   * Subscribes one of the owner's webhooks, in one statement.
   *
   * @returns the webhook's user; null if there is no such webhook, `duplicate` if it has an event of this kind.
   */
  insertOfWebhook(owner: Owner, event: Omit<EventEntity, 'userId'>): Promise<string | 'duplicate' | null> {
    const { id, webhookId, kind, enabled, createdAt } = event;
    const ofOwner = checkedOwner(owner) === null ? '' : ' AND user_id = ?';
    // Waits for an uncommitted deletion. Without the lock, the webhook would be found and the foreign key would then
    // fail.
    const lock = this.database.dialect === 'mysql' ? 'LOCK IN SHARE MODE' : '';
    return this.database
      .transaction(async (manager) => {
        await this.database.query(
          `INSERT INTO webhook_event (id, webhook_id, user_id, kind, enabled, created_at)
          SELECT ?, id, user_id, ?, ?, ? FROM webhook WHERE id = ?${ofOwner} ${lock}`,
          [id, kind, enabled ? 1 : 0, createdAt, webhookId, ...(owner === null ? [] : [owner])],
          manager,
        );
        const inserted = await manager.findOneBy(EventEntity, { id });
        return inserted?.userId ?? null;
      })
      .catch((error: unknown) => {
        if (isDuplicate(error)) return 'duplicate' as const;
        throw error;
      });
  }

  /**
   * Makes `wanted` the events of a webhook that is locked.
   *
   * @returns the ids of the events that this switched off or removed.
   */
  async replace(
    manager: EntityManager,
    { row, events }: { row: { id: string; userId: string }; events: EventEntity[] },
    wanted: EventInput[],
    now: number,
  ): Promise<string[]> {
    const { added, switched, removed } = eventChanges(events, wanted);
    for (const { id, enabled } of switched) await this.setEnabled(manager, id, !enabled);
    await this.delete(manager, idsOf(removed));
    const inserted = added.map((event) => newEvent(row, event, now));
    if (inserted.length > 0) await manager.insert(EventEntity, inserted);
    return idsOf([...removed, ...switched.filter(({ enabled }) => enabled)]);
  }

  async setEnabled(manager: EntityManager, id: string, enabled: boolean): Promise<void> {
    await manager.update(EventEntity, { id }, { enabled });
  }

  async delete(manager: EntityManager, ids: string[]): Promise<void> {
    if (ids.length > 0) await manager.delete(EventEntity, { id: In(ids) });
  }
}

const idsOf = (events: EventEntity[]) => events.map(({ id }) => id);
