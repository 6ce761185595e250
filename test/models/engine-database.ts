import type { DueRepository, QueuePlace } from '../../src/engine/dispatch/due.repository.js';
import { dueTimeOf, isUrgent } from '../../src/engine/ledger/due-time.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import type { QueueRepository } from '../../src/engine/queue/queue.repository.js';
import type { RequeueRepository } from '../../src/engine/settle/requeue.repository.js';
import { leasedTrigger } from '../support/leased-trigger.js';

/** A trigger. One that is `ELSEWHERE` is leased to another process. */
export interface Row {
  id: string;
  webhookId: string;
  status: 'PENDING' | 'DELIVERING' | 'ELSEWHERE' | 'SUCCEEDED';
  /** As it is stored. */
  dueAt: number;
  lease: number;
}

/** How many triggers a look for those of other webhooks passes. */
const SCANNED = 30;

export const leased = ({ id, webhookId, dueAt, lease }: Row): LeasedTrigger =>
  leasedTrigger({ id, webhookId, dueAt: dueTimeOf(dueAt), lease, urgent: isUrgent(dueAt) });

/** The queue in memory, as its repositories show it to the engine. */
export class EngineDatabase {
  readonly rows: Row[] = [];
  /** While true, every statement fails. */
  isAway = false;

  some(status: Row['status'], most: number): Row[] {
    return this.rows.filter((row) => row.status === status).slice(0, most);
  }

  add(webhookId: string, dueAt: number): Row {
    const id = `t${String(this.rows.length).padStart(6, '0')}`;
    const row: Row = { id, webhookId, status: 'PENDING', dueAt, lease: 0 };
    this.rows.push(row);
    return row;
  }

  readonly due = {
    due: async (now, behind, limit) => this.dueBehind(now, behind).slice(0, limit),
    dueOfOthers: async (now, behind, limit, webhookIds) => {
      const due = this.dueBehind(now, behind);
      const found = due
        .slice(0, SCANNED)
        .filter(({ webhookId }, index) => !webhookIds.includes(webhookId) || index === SCANNED - 1);
      return { found: found.slice(0, limit), isLast: due.length < SCANNED && found.length < limit };
    },
    nextDueAfter: async (time) => this.pending().find(({ dueAt }) => dueAt > time)?.dueAt ?? null,
  } satisfies Partial<DueRepository>;

  readonly queue = {
    claim: async (_, ids) => {
      const rows = this.pending().filter(({ id }) => ids.includes(id));
      for (const row of rows) Object.assign(row, { status: 'DELIVERING', lease: row.lease + 1 });
      return rows.map(leased);
    },
  } satisfies Partial<QueueRepository>;

  readonly requeues = {
    requeue: async (leases) => {
      if (this.isAway) throw new Error('away');
      for (const { id, lease, dueAt } of leases) {
        const row = this.rows.find((one) => one.id === id && one.lease === lease);
        if (row) Object.assign(row, { status: 'PENDING', dueAt, lease: lease + 1 });
      }
    },
  } satisfies Partial<RequeueRepository>;

  private pending(): Row[] {
    if (this.isAway) throw new Error('away');
    return this.rows
      .filter(({ status }) => status === 'PENDING')
      .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
  }

  private dueBehind(now: number, place: QueuePlace) {
    const isBehind = ({ dueAt, id }: Row) => dueAt > place.dueAt || (dueAt === place.dueAt && id > place.id);
    return this.pending()
      .filter((row) => row.dueAt <= now && isBehind(row))
      .map(({ id, webhookId, dueAt }) => ({ id, webhookId, dueAt }));
  }
}
