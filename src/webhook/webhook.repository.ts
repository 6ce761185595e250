import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import type { Health } from '../engine/health/health-states.js';
import type { WebhookRow } from '../engine/webhook/webhook-row.js';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import { isDuplicate } from '../platform/database-error.js';
import { fitting } from '../rest/page-bytes.js';
import { Database } from '../store/database.js';
import { EventEntity } from '../store/tables/webhook/event.entity.js';
import { RateSlotEntity } from '../store/tables/webhook/rate-slot.entity.js';
import { WebhookEntity } from '../store/tables/webhook/webhook.entity.js';
import { uidTaken } from './uid-taken.js';

/** What only a webhook's owner changes. */
type OwnColumns = Omit<WebhookEntity, keyof Health | 'enabled'>;

@Injectable()
export class WebhookRepository {
  constructor(private readonly database: Database) {}

  find(owner: Owner, id: string): Promise<WebhookRow | null> {
    return this.database.run((manager) => this.findBy(manager, owner, id));
  }

  /** The webhook that this user calls so. */
  findNamed(userId: string, uid: string): Promise<WebhookRow | null> {
    return this.database.run(async (manager) => {
      const row = await manager.findOneBy(WebhookEntity, { userId: checkedOwner(userId), uid });
      return row && this.findBy(manager, userId, row.id);
    });
  }

  /** Locks the webhook until the manager's transaction ends. */
  findLocked(manager: EntityManager, owner: Owner, id: string): Promise<WebhookRow | null> {
    return this.findBy(manager, owner, id, true);
  }

  /** The webhooks with these ids, with their events, as many as fit on a page: at least the first one, fewer where filters are large. */
  async page(ids: string[]): Promise<WebhookRow[]> {
    if (ids.length === 0) return [];
    return this.database.run(async (manager) => {
      const rows = await manager.find(WebhookEntity, { where: { id: In(ids) }, order: { id: 'DESC' } });
      const shown = await this.fitting(rows, manager);
      const events = await this.eventsOf(
        shown.map(({ id }) => id),
        manager,
      );
      return shown.map((row) => ({ row, events: events.get(row.id) ?? [] }));
    });
  }

  count(manager: EntityManager, userId: string): Promise<number> {
    return manager.countBy(WebhookEntity, { userId: checkedOwner(userId) });
  }

  async insert(manager: EntityManager, { row, events }: WebhookRow): Promise<void> {
    // The row stays as it is: into one that is updated, TypeORM writes the texts that MariaDB returns for numbers of 64 bits.
    const insert = manager.createQueryBuilder().insert().into(WebhookEntity).values(row).updateEntity(false);
    await takingUid(row.uid, insert.execute());
    if (events.length > 0) await manager.insert(EventEntity, events);
  }

  async update(manager: EntityManager, id: string, changes: Partial<OwnColumns>): Promise<void> {
    await takingUid(changes.uid, manager.update(WebhookEntity, { id }, changes));
  }

  /** Its events go with it. */
  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.delete(WebhookEntity, { id });
    await manager.delete(RateSlotEntity, { webhookId: id });
  }

  private async findBy(
    manager: EntityManager,
    owner: Owner,
    id: string,
    lock = false,
  ): Promise<WebhookRow | null> {
    const query = manager.createQueryBuilder(WebhookEntity, 'webhook').where('webhook.id = :id', { id });
    if (checkedOwner(owner) !== null) query.andWhere('webhook.userId = :owner', { owner });
    const { lock: mode } = this.database.lockedRows;
    if (lock && mode) query.setLock(mode.mode);
    const row = await query.getOne();
    return row && { row, events: (await this.eventsOf([row.id], manager)).get(row.id) ?? [] };
  }

  /** The webhooks whose filters are read together. */
  private async fitting(rows: WebhookEntity[], manager: EntityManager): Promise<WebhookEntity[]> {
    const sizes = await manager
      .createQueryBuilder(EventEntity, 'event')
      .select('event.webhookId', 'id')
      .addSelect('SUM(OCTET_LENGTH(event.filter))', 'bytes')
      .where({ webhookId: In(rows.map(({ id }) => id)) })
      .groupBy('event.webhookId')
      .getRawMany<{ id: string; bytes: number | string | null }>();
    const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, Number(bytes)]));
    return rows.slice(0, fitting(rows.map(({ id }) => bytesOf.get(id) ?? 0)));
  }

  private async eventsOf(webhookIds: string[], manager: EntityManager): Promise<Map<string, EventEntity[]>> {
    if (webhookIds.length === 0) return new Map();
    const events = await manager.find(EventEntity, {
      where: { webhookId: In(webhookIds) },
      order: { id: 'ASC' },
    });
    return Map.groupBy(events, (event) => event.webhookId);
  }
}

/** @throws Problem 409 `uid_taken` */
async function takingUid(uid: string | null | undefined, write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (uid && isDuplicate(error)) throw uidTaken();
    throw error;
  }
}
