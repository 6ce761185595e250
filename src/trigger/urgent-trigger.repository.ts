import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../database/database.js';
import { UrgentTriggerEntity } from './urgent-trigger.entity.js';

/** A trigger that was asked for by hand. */
export interface UrgentTrigger {
  id: string;
  webhookId: string;
  /** False where somebody sends it already, or it is not to be sent any more. */
  isPending: boolean;
}

/**
 * Triggers that were asked for by hand, in a table of their own: nearly always it is empty, so that a look at it costs
 * next to nothing, and the queue's own rows and index nothing at all.
 */
@Injectable()
export class UrgentTriggerRepository {
  constructor(private readonly database: Database) {}

  /** In the transaction that makes the trigger due. */
  async mark(manager: EntityManager, id: string): Promise<void> {
    await manager.createQueryBuilder().insert().into(UrgentTriggerEntity).values({ id }).orIgnore().execute();
  }

  /** The oldest of them. */
  async find(limit: number): Promise<UrgentTrigger[]> {
    const rows = await this.database.query<
      { id: string; webhook_id: string | null; status: string | null }[]
    >(
      `SELECT urgent.id, t.webhook_id, t.status FROM webhook_urgent_trigger AS urgent
       LEFT JOIN webhook_trigger AS t ON t.id = urgent.id ORDER BY urgent.id LIMIT ${limit}`,
    );
    return rows.map(({ id, webhook_id, status }) => ({
      id,
      webhookId: webhook_id ?? '',
      isPending: status === 'PENDING',
    }));
  }

  async forget(ids: string[]): Promise<void> {
    if (ids.length > 0)
      await this.database.run((manager) => manager.delete(UrgentTriggerEntity, { id: In(ids) }));
  }
}
