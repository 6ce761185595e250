import type { DueRepository, QueuePlace } from '../../src/engine/dispatch/due.repository.js';
import { dueTimeOf, isUrgent } from '../../src/engine/ledger/due-time.js';
import type { LeasedTrigger } from '../../src/engine/queue/leased-trigger.js';
import type { QueueRepository } from '../../src/engine/queue/queue.repository.js';

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

/** The queue in memory, as its repositories show it to the engine. */
export class EngineDatabase {
  readonly rows: Row[] = [];
  /** While true, every statement fails. */
  isAway = false;

  some(status: Row['status'], most: number): Row[] {
    return this.rows.filter((row) => row.status === status).slice(0, most);
  }

  add(to: string, dueAt: number): Row {
    const id = `t${String(this.rows.length).padStart(6, '0')}`;
    const row: Row = { id, webhookId: to, status: 'PENDING', dueAt, lease: 0 };
    this.rows.push(row);
    return row;
  }

  private pending(): Row[] {
    return this.rows
      .filter(({ status }) => status === 'PENDING')
      .sort((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1));
  }

  get due(): Partial<DueRepository> {
    const isBehind = (row: Row, place: QueuePlace) =>
      row.dueAt > place.dueAt || (row.dueAt === place.dueAt && row.id > place.id);
    return {
      due: async (now, behind, limit) => {
        this.check();
        const due = this.pending().filter((row) => row.dueAt <= now && isBehind(row, behind));
        return due.slice(0, limit).map(({ id, webhookId: to, dueAt }) => ({ id, webhookId: to, dueAt }));
      },
      dueOfOthers: async (now, behind, limit, webhookIds) => {
        this.check();
        const due = this.pending().filter((row) => row.dueAt <= now && isBehind(row, behind));
        const looked = due.slice(0, SCANNED);
        const found = looked.filter(
          ({ webhookId: to }, index) => !webhookIds.includes(to) || index === SCANNED - 1,
        );
        const isLast = due.length < SCANNED && found.length < limit;
        return {
          found: found.slice(0, limit).map(({ id, webhookId: to, dueAt }) => ({ id, webhookId: to, dueAt })),
          isLast,
        };
      },
      nextDueAfter: async (time) => {
        this.check();
        return this.pending().find(({ dueAt }) => dueAt > time)?.dueAt ?? null;
      },
    };
  }

  get queue(): Partial<QueueRepository> {
    return {
      claim: async (_, ids) => {
        this.check();
        const rows = this.pending().filter(({ id }) => ids.includes(id));
        for (const row of rows) Object.assign(row, { status: 'DELIVERING', lease: row.lease + 1 });
        return rows.map(leased);
      },
      release: async (triggers, at) => {
        this.check();
        for (const { id, lease } of triggers) {
          const row = this.rows.find((one) => one.id === id && one.lease === lease);
          if (row) Object.assign(row, { status: 'PENDING', dueAt: at, lease: lease + 1 });
        }
      },
      putBack: async (triggers) => {
        this.check();
        for (const { id, lease } of triggers) {
          const row = this.rows.find((one) => one.id === id && one.lease === lease);
          if (row) Object.assign(row, { status: 'PENDING', dueAt: dueTimeOf(row.dueAt), lease: lease + 1 });
        }
      },
    };
  }

  private check(): void {
    if (this.isAway) throw new Error('away');
  }
}

export const leased = ({ id, webhookId: to, dueAt, lease }: Row): LeasedTrigger => ({
  id,
  webhookId: to,
  subscriptionId: null,
  eventKind: 'RECORD_FINISHED',
  dueAt: dueTimeOf(dueAt),
  lease,
  leasedBy: 'me',
  attemptCount: 0,
  scheduleOffset: 0,
  hasFailed: false,
  ordered: false,
  isProbe: false,
  cause: 'schedule',
  urgent: isUrgent(dueAt),
  breakerEpoch: 0,
  notification: { id: `n-${id}`, traceparent: null, hops: 0, body: Buffer.alloc(2) },
});
