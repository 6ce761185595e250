import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { checkedOwner, type Owner } from '../common/principal.js';
import { Database } from '../database/database.js';
import { EventEntity } from './event.entity.js';

@Injectable()
export class EventRepository {
  constructor(private readonly database: Database) {}

  find(owner: Owner, id: string): Promise<EventEntity | null> {
    const owned = checkedOwner(owner) === null ? {} : { userId: owner as string };
    return this.database.run((manager) => manager.findOneBy(EventEntity, { id, ...owned }));
  }

  async insert(manager: EntityManager, events: EventEntity[]): Promise<void> {
    if (events.length > 0) await manager.insert(EventEntity, events);
  }

  async setEnabled(manager: EntityManager, id: string, enabled: boolean): Promise<void> {
    await manager.update(EventEntity, { id }, { enabled });
  }

  async delete(manager: EntityManager, ids: string[]): Promise<void> {
    if (ids.length > 0) await manager.delete(EventEntity, { id: In(ids) });
  }
}
