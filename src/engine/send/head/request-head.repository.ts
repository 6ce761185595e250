import { Injectable } from '@nestjs/common';
import { In, LessThan, MoreThan } from 'typeorm';
import { firstIdOf } from '../../../platform/ids/first-id.js';
import { Database } from '../../../store/database.js';
import { indexHint } from '../../../store/index-hint.js';
import { RequestHeadEntity } from '../../../store/tables/trigger/request-head.entity.js';

/** Triggers read at a time. */
const AT_ONCE = 500;

/** A head without its content. */
export type StoredHead = Pick<RequestHeadEntity, 'id' | 'webhookId' | 'storedAt'>;

@Injectable()
export class RequestHeadRepository {
  constructor(private readonly database: Database) {}

  async find(ids: string[]): Promise<RequestHeadEntity[]> {
    return ids.length === 0
      ? []
      : this.database.run((manager) => manager.findBy(RequestHeadEntity, { id: In(ids) }));
  }

  /** Heads that are already stored only get a new time. */
  async store(heads: RequestHeadEntity[]): Promise<void> {
    await this.database.transaction((manager) =>
      manager
        .createQueryBuilder()
        .insert()
        .into(RequestHeadEntity)
        .values(heads)
        .orUpdate(['stored_at'], ['id'])
        .execute(),
    );
  }

  /** The next heads after an id, at most `limit`, that were last stored before a time. */
  storedBefore(time: number, behind: string, limit: number): Promise<StoredHead[]> {
    return this.database.run((manager) =>
      manager.find(RequestHeadEntity, {
        select: { id: true, webhookId: true, storedAt: true },
        where: { id: MoreThan(behind), storedAt: LessThan(time) },
        order: { id: 'ASC' },
        take: limit,
      }),
    );
  }

  /** Whether a trigger of the head's webhook is being delivered. */
  async isBeingSent({ webhookId }: StoredHead): Promise<boolean> {
    const index = indexHint(this.database.dialect, 'webhook_trigger_due');
    const rows = await this.database.query<unknown[]>(
      `SELECT 1 AS n FROM webhook_trigger ${index} WHERE status = 'DELIVERING' AND webhook_id = ? LIMIT 1`,
      [webhookId],
    );
    return rows.length > 0;
  }

  /**
   * Whether an attempt of the webhook's triggers made before a time names the head. An index of attempts by head would cost
   * every attempt a write. This reads from the newest such trigger on, which nearly always names it.
   */
  async isNamed({ id, webhookId }: StoredHead, madeBefore: number): Promise<boolean> {
    for (let before = firstIdOf(madeBefore); ; ) {
      const rows = await this.database.query<{ id: string; named: number | string }[]>(
        `SELECT t.id, EXISTS (SELECT 1 FROM webhook_attempt a WHERE a.trigger_id = t.id AND a.request_head = ?) AS named
         FROM webhook_trigger t WHERE t.webhook_id = ? AND t.id < ? ORDER BY t.id DESC LIMIT ${AT_ONCE}`,
        [id, webhookId, before],
      );
      if (rows.some(({ named }) => Number(named) === 1)) return true;
      if (rows.length < AT_ONCE) return false;
      before = rows.at(-1)?.id ?? '';
    }
  }

  /** Deletes a head unless somebody has stored it again. */
  async delete({ id, storedAt }: StoredHead): Promise<void> {
    await this.database.run((manager) => manager.delete(RequestHeadEntity, { id, storedAt }));
  }
}
