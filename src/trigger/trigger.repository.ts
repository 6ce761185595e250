import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { type RequestHead, type ShownRequest, shownRequest } from '../engine/send/head/request-head.js';
import { RequestHeads } from '../engine/send/head/request-heads.js';
import { checkedOwner, type Owner } from '../platform/access/owner.js';
import type { PageRequest } from '../rest/cursor.js';
import { Database } from '../store/database.js';
import type { AttemptEntity } from '../store/tables/trigger/attempt.entity.js';
import { TriggerEntity } from '../store/tables/trigger/trigger.entity.js';
import { type TriggerFilter, TriggerSearch } from './trigger-search.repository.js';

/** Rows of a page, newest first. `next` is the id to continue after, null at the end. */
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
    // The status may have changed since the search.
    const { status } = filter;
    return { rows: rows.filter((row) => status === undefined || row.status === status), next };
  }

  /** The triggers with these ids that are there, in no order. */
  async some(ids: string[]): Promise<TriggerEntity[]> {
    const list = this.database.sql.idList(ids);
    const sql = `SELECT * FROM webhook_trigger WHERE id IN ${list.sql}`;
    return this.database.entities(TriggerEntity, sql, [list.parameter]);
  }

  /** The URL and headers of each attempt's request; null if nothing was kept. */
  async requests(attempts: AttemptEntity[]): Promise<Map<AttemptEntity, ShownRequest | null>> {
    const ids = new Set(attempts.flatMap(({ requestHead }) => requestHead ?? []));
    const heads = await this.heads.read([...ids]);
    return new Map(attempts.map((attempt) => [attempt, requestOf(attempt, heads)]));
  }
}

function requestOf({ requestHead, request }: AttemptEntity, heads: Map<string, RequestHead>) {
  if (request === null || requestHead === null) return null;
  const head = heads.get(requestHead);
  return head ? shownRequest(head, request) : null;
}
