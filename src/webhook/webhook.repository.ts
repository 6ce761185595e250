import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { isDuplicate } from '../common/database-error.js';
import { Database } from '../database/database.js';
import { EventEntity } from '../event/event.entity.js';
import type { PageRequest } from '../rest/cursor.js';
import { checkedOwner, type Owner } from '../rest/principal.js';
import { PaceEntity } from './settings/pace.entity.js';
import { uidTaken } from './uid-taken.js';
import { WebhookEntity } from './webhook.entity.js';

export interface WebhookFilter {
  userId?: string | undefined;
  enabled?: boolean | undefined;
  name?: string | undefined;
  /** Has an event of this kind. */
  eventKind?: string | undefined;
}

/** A webhook's row with its events, oldest first. */
export interface WebhookRow {
  row: WebhookEntity;
  events: EventEntity[];
}

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

  list(owner: Owner, filter: WebhookFilter, page: PageRequest): Promise<WebhookRow[]> {
    return this.database.run((manager) => this.listBy(manager, owner, filter, page));
  }

  count(manager: EntityManager, userId: string): Promise<number> {
    return manager.countBy(WebhookEntity, { userId: checkedOwner(userId) });
  }

  async insert(manager: EntityManager, { row, events }: WebhookRow): Promise<void> {
    await takingUid(row.uid, manager.insert(WebhookEntity, row));
    if (events.length > 0) await manager.insert(EventEntity, events);
  }

  async update(manager: EntityManager, id: string, changes: Partial<WebhookEntity>): Promise<void> {
    await takingUid(changes.uid, manager.update(WebhookEntity, { id }, changes));
  }

  /** Its events go with it. */
  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.delete(WebhookEntity, { id });
    await manager.delete(PaceEntity, { webhookId: id });
  }

  private async findBy(
    manager: EntityManager,
    owner: Owner,
    id: string,
    lock = false,
  ): Promise<WebhookRow | null> {
    const query = manager.createQueryBuilder(WebhookEntity, 'webhook').where('webhook.id = :id', { id });
    if (checkedOwner(owner) !== null) query.andWhere('webhook.userId = :owner', { owner });
    // SQLite runs one transaction at a time.
    if (lock && this.database.dialect === 'mysql') query.setLock('pessimistic_write');
    const row = await query.getOne();
    return row && { row, events: (await this.eventsOf([row.id], manager)).get(row.id) ?? [] };
  }

  private async listBy(
    manager: EntityManager,
    owner: Owner,
    filter: WebhookFilter,
    page: PageRequest,
  ): Promise<WebhookRow[]> {
    const query = manager
      .createQueryBuilder(WebhookEntity, 'webhook')
      .orderBy('webhook.id', 'DESC')
      .take(page.limit + 1);
    if (checkedOwner(owner) !== null) query.where('webhook.userId = :owner', { owner });
    if (filter.userId !== undefined) checkedOwner(filter.userId);
    const { eventKind, ...equal } = filter;
    for (const [column, value] of Object.entries(equal)) {
      if (value !== undefined) query.andWhere(`webhook.${column} = :${column}`, { [column]: value });
    }
    // MySQL ignores trailing blanks when it compares.
    if (filter.name !== undefined) {
      query.andWhere('OCTET_LENGTH(webhook.name) = :bytes', { bytes: Buffer.byteLength(filter.name) });
    }
    if (eventKind !== undefined) {
      const having = query
        .subQuery()
        .select('1')
        .from(EventEntity, 'event')
        .where('event.webhookId = webhook.id AND event.kind = :eventKind', { eventKind });
      query.andWhere(`EXISTS ${having.getQuery()}`);
    }
    if (page.after) query.andWhere('webhook.id < :after', { after: page.after });
    const rows = await query.getMany();
    const events = await this.eventsOf(
      rows.map((row) => row.id),
      manager,
    );
    return rows.map((row) => ({ row, events: events.get(row.id) ?? [] }));
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
