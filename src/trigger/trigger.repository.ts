import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Database } from '../database/database.js';
import type { PageRequest } from '../rest/cursor.js';
import { checkedOwner, type Owner } from '../rest/principal.js';
import type { AttemptEntity } from './attempt/attempt.entity.js';
import { type RequestHead, type ShownRequest, shownRequest } from './attempt/request-head.js';
import { RequestHeads } from './attempt/request-heads.js';
import { CancellationRepository, type Unwanted } from './cancellation.repository.js';
import { TriggerEntity } from './trigger.entity.js';
import { type TriggerFilter, TriggerSearch } from './trigger-search.repository.js';
import { UrgentTriggerRepository } from './urgent-trigger.repository.js';

/** Rows of a page, newest first; `next` is the id to go on behind, null where there are no more. */
export interface FoundTriggers {
  rows: TriggerEntity[];
  next: string | null;
}

@Injectable()
export class TriggerRepository {
  constructor(
    private readonly database: Database,
    private readonly search: TriggerSearch,
    private readonly heads: RequestHeads,
    private readonly cancellations: CancellationRepository,
    private readonly urgent: UrgentTriggerRepository,
  ) {}

  async find(owner: Owner, id: string): Promise<TriggerEntity | null> {
    const owned = checkedOwner(owner) === null ? {} : { userId: owner as string };
    return this.database.run((manager) => manager.findOneBy(TriggerEntity, { id, ...owned }));
  }

  async list(owner: Owner, filter: TriggerFilter, page: PageRequest): Promise<FoundTriggers> {
    const { ids, next } = await this.search.find(owner, filter, page);
    const rows = await this.database.run((manager) =>
      manager.find(TriggerEntity, {
        where: { id: In(ids) },
        order: { id: 'DESC' },
      }),
    );
    // It may have gone on meanwhile.
    const { status } = filter;
    return { rows: rows.filter((row) => status === undefined || row.status === status), next };
  }

  /** What the request of each attempt said before its body; of one that kept nothing, null. */
  async requests(attempts: AttemptEntity[]): Promise<Map<AttemptEntity, ShownRequest | null>> {
    const ids = new Set(attempts.flatMap(({ requestHead }) => requestHead ?? []));
    const heads = await this.heads.read([...ids]);
    return new Map(attempts.map((attempt) => [attempt, requestOf(attempt, heads)]));
  }

  /** Makes it due before all others, on a fresh retry schedule. @returns false where an instance is delivering it. */
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
      const isDue = await manager.existsBy(TriggerEntity, { id, status: 'PENDING' });
      if (isDue) await this.urgent.mark(manager, id);
      return isDue;
    });
  }

  /** What waits for a webhook, or for one of its events, is not sent any more. */
  cancelPending(manager: EntityManager, of: Unwanted, now: number): Promise<void> {
    return this.cancellations.cancelPending(manager, of, now);
  }
}

function requestOf({ requestHead, request }: AttemptEntity, heads: Map<string, RequestHead>) {
  if (request === null || requestHead === null) return null;
  const head = heads.get(requestHead);
  return head ? shownRequest(head, request) : null;
}
