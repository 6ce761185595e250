import { Injectable } from '@nestjs/common';
import { type EntityManager, In, type SelectQueryBuilder } from 'typeorm';
import type { PageRequest } from '../common/cursor.js';
import { checkedOwner, type Owner } from '../common/principal.js';
import { Database } from '../database/database.js';
import type { AttemptEntity } from './attempt.entity.js';
import { RequestHeadEntity } from './request-head.entity.js';
import { type RequestHead, type ShownRequest, shownRequest } from './request-head.js';
import { TriggerEntity, type TriggerStatus } from './trigger.entity.js';

/** Each one narrows the list; times are epoch milliseconds, of the trigger's making, both included. */
export interface TriggerFilter {
  userId?: string | undefined;
  webhookId?: string | undefined;
  eventId?: string | undefined;
  eventKind?: string | undefined;
  status?: TriggerStatus | undefined;
  notificationId?: string | undefined;
  since?: number | undefined;
  until?: number | undefined;
}

@Injectable()
export class TriggerRepository {
  constructor(private readonly database: Database) {}

  async find(owner: Owner, id: string): Promise<TriggerEntity | null> {
    return this.owned(owner).andWhere('trigger.id = :id', { id }).getOne();
  }

  list(owner: Owner, filter: TriggerFilter, page: PageRequest): Promise<TriggerEntity[]> {
    const query = this.owned(owner)
      .orderBy('trigger.id', 'DESC')
      .take(page.limit + 1);
    const { since, until, ...equal } = filter;
    for (const [column, value] of Object.entries(equal)) {
      if (value !== undefined) query.andWhere(`trigger.${column} = :${column}`, { [column]: value });
    }
    // Ids are UUIDv7: their order is the order of making, and their first 48 bits are its time.
    if (since !== undefined) query.andWhere('trigger.id >= :since', { since: firstIdOf(since) });
    if (until !== undefined) query.andWhere('trigger.id < :until', { until: firstIdOf(until + 1) });
    if (page.after) query.andWhere('trigger.id < :after', { after: page.after });
    return query.getMany();
  }

  /** What the request of each attempt said before its body; of one that kept nothing, null. */
  async requests(attempts: AttemptEntity[]): Promise<Map<AttemptEntity, ShownRequest | null>> {
    const ids = new Set(attempts.flatMap(({ requestHead }) => requestHead ?? []));
    const rows =
      ids.size > 0 ? await this.database.manager.findBy(RequestHeadEntity, { id: In([...ids]) }) : [];
    const heads = new Map(rows.map(({ id, head }) => [id, JSON.parse(head) as RequestHead]));
    return new Map(attempts.map((attempt) => [attempt, requestOf(attempt, heads)]));
  }

  /** Makes it due, on a fresh retry schedule. @returns false where an instance is delivering it. */
  async makeDue(owner: Owner, id: string, now: number): Promise<boolean> {
    const [ownedSql, ownedParameters] =
      checkedOwner(owner) === null ? ['', []] : [' AND user_id = ?', [owner]];
    // Affected rows are counted one way by one driver and another by the next: the row itself tells.
    return this.database.transaction(async (manager) => {
      await this.database.query(
        `UPDATE webhook_trigger SET status = 'PENDING', next_attempt_at = ?, end_at = 0,
           schedule_offset = attempt_count, lease = lease + 1
         WHERE id = ? AND status <> 'DELIVERING'${ownedSql}`,
        [now, id, ...ownedParameters],
        manager,
      );
      return manager.existsBy(TriggerEntity, { id, status: 'PENDING' });
    });
  }

  /** What waits for a webhook, or for one of its events, is not sent any more. */
  async cancelPending(
    manager: EntityManager,
    of: { webhookId: string; eventIds?: string[] },
    now: number,
  ): Promise<void> {
    if (of.eventIds?.length === 0) return;
    const query = manager
      .createQueryBuilder()
      .update(TriggerEntity)
      .set({ status: 'CANCELLED', endAt: now, nextAttemptAt: null, lease: () => 'lease + 1' })
      .where({ webhookId: of.webhookId, status: 'PENDING' });
    if (of.eventIds) query.andWhere({ eventId: In(of.eventIds) });
    await query.execute();
  }

  private owned(owner: Owner): SelectQueryBuilder<TriggerEntity> {
    const query = this.database.manager.createQueryBuilder(TriggerEntity, 'trigger');
    return checkedOwner(owner) === null ? query : query.where('trigger.userId = :owner', { owner });
  }
}

function requestOf({ requestHead, request }: AttemptEntity, heads: Map<string, RequestHead>) {
  if (request === null) return null;
  if (requestHead === null) return JSON.parse(request) as ShownRequest;
  const head = heads.get(requestHead);
  return head ? shownRequest(head, request) : null;
}

/** The smallest UUIDv7 of a millisecond. */
export function firstIdOf(time: number): string {
  const hex = Math.max(0, Math.min(time, 2 ** 48 - 1))
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
