import { Injectable } from '@nestjs/common';
import { In, LessThan, MoreThan } from 'typeorm';
import { Database } from '../../database/database.js';
import { firstIdOf } from '../first-id.js';
import { RequestHeadEntity } from './request-head.entity.js';

/** Triggers looked at in one go. */
const AT_ONCE = 500;

/** A head without what it says. */
export type StoredHead = Pick<RequestHeadEntity, 'id' | 'webhookId' | 'storedAt'>;

@Injectable()
export class RequestHeadRepository {
  constructor(private readonly database: Database) {}

  async find(ids: string[]): Promise<RequestHeadEntity[]> {
    return ids.length === 0
      ? []
      : this.database.run((manager) => manager.findBy(RequestHeadEntity, { id: In(ids) }));
  }

  /** Of those that are there, by another process or from before, only the time is new. */
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

  /** The next heads behind one of them, at most `limit`, that were last stored before a time. */
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

  /**
   * Whether an attempt names a head, of the triggers of its webhook made before a time. An index of the attempts by head
   * would be written with each of them; this reads from the newest such trigger on, which nearly always is one.
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

  /** Where nobody has stored it again. */
  async delete({ id, storedAt }: StoredHead): Promise<void> {
    await this.database.run((manager) => manager.delete(RequestHeadEntity, { id, storedAt }));
  }
}
