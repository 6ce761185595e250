import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { MAX_FILTERS_BYTES, TOO_MANY_FILTERS } from '../engine/filter/filter.js';
import { UserMoves } from '../move/user-move.repository.js';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { isDuplicate } from '../platform/database-error.js';
import { invalid } from '../platform/problem.js';
import { Database } from '../store/database.js';
import { EventEntity } from '../store/tables/webhook/event.entity.js';
import type { EventInput } from './dto/event-body.js';
import { eventChanges, newEvent } from './event-list.js';

@Injectable()
export class EventRepository {
  constructor(
    private readonly database: Database,
    private readonly moves: UserMoves,
  ) {}

  find(owner: Owner, id: string): Promise<EventEntity | null> {
    const owned = checkedOwner(owner) === null ? {} : { userId: owner as string };
    return this.database.run((manager) => manager.findOneBy(EventEntity, { id, ...owned }));
  }

  /**
   * Subscribes one of the owner's webhooks, in one statement.
   *
   * @throws Problem 400 if its filters are too large together, 409 `user_moved`
   * @returns the webhook's user; null if there is no such webhook, `duplicate` if it has an event of this kind.
   */
  insertOfWebhook(owner: Owner, event: Omit<EventEntity, 'userId'>): Promise<string | 'duplicate' | null> {
    const { id, webhookId, kind, enabled, filter, filterHash, createdAt } = event;
    const ofOwner = checkedOwner(owner) === null ? '' : ' AND user_id = ?';
    // Waits for an uncommitted deletion. Without the lock, the webhook would be found and the foreign key would then
    // fail.
    const lock = this.database.sql.forShare;
    return this.database
      .transaction(async (manager) => {
        await this.database.query(
          `INSERT INTO webhook_event (id, webhook_id, user_id, kind, enabled, filter, filter_hash, created_at)
          SELECT ?, id, user_id, ?, ?, ?, ?, ? FROM webhook WHERE id = ?${ofOwner} ${lock}`,
          [
            id,
            kind,
            enabled ? 1 : 0,
            filter,
            filterHash,
            createdAt,
            webhookId,
            ...(owner === null ? [] : [owner]),
          ],
          manager,
        );
        const inserted = await manager.findOneBy(EventEntity, { id });
        if (inserted) await this.moves.checkStays(manager, inserted.userId);
        if (filter !== null) await this.checkFilters(manager, webhookId);
        return inserted?.userId ?? null;
      })
      .catch((error: unknown) => {
        if (isDuplicate(error)) return 'duplicate' as const;
        throw error;
      });
  }

  /** @throws Problem 400 if the filters that a webhook has now are too large together. */
  async checkFilters(manager: EntityManager, webhookId: string): Promise<void> {
    const found = await manager
      .createQueryBuilder(EventEntity, 'event')
      .select('SUM(OCTET_LENGTH(event.filter))', 'bytes')
      .where({ webhookId })
      .getRawOne<{ bytes: number | string | null }>();
    if (Number(found?.bytes) > MAX_FILTERS_BYTES)
      throw invalid([{ pointer: '/filter', message: TOO_MANY_FILTERS }]);
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
    const { added, changed, removed } = eventChanges(events, wanted);
    for (const { before, wanted: as } of changed) await this.update(manager, before.id, as);
    await this.delete(manager, idsOf(removed));
    const inserted = added.map((event) => newEvent(row, event, now));
    if (inserted.length > 0) await manager.insert(EventEntity, inserted);
    const switchedOff = changed.filter(({ before, wanted: as }) => before.enabled && !as.enabled);
    return idsOf([...removed, ...switchedOff.map(({ before }) => before)]);
  }

  /** Everybody locks webhooks before their events. */
  async lockWebhook(manager: EntityManager, webhookId: string): Promise<void> {
    const { forUpdate } = this.database.sql;
    if (forUpdate)
      await this.database.query(`SELECT id FROM webhook WHERE id = ? ${forUpdate}`, [webhookId], manager);
  }

  async update(
    manager: EntityManager,
    id: string,
    changes: Partial<Pick<EventEntity, 'enabled' | 'filter' | 'filterHash'>>,
  ): Promise<void> {
    await manager.update(EventEntity, { id }, changes);
  }

  async delete(manager: EntityManager, ids: string[]): Promise<void> {
    if (ids.length > 0) await manager.delete(EventEntity, { id: In(ids) });
  }
}

const idsOf = (events: EventEntity[]) => events.map(({ id }) => id);
