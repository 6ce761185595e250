import type { EntityManager } from 'typeorm';
import { isLockTimeout } from '../../platform/database-error.js';
import { failpoint } from '../../platform/failpoint.js';
import type { Database } from '../../store/database.js';
import { LockedRows } from '../../store/locked-rows.js';
import type { Sql } from '../../store/sql.js';
import type { UnwantedTriggers } from '../ledger/cancel/unwanted-triggers.repository.js';
import type { Ledger } from '../ledger/ledger.repository.js';
import { orderingMarksOf } from '../ledger/ordering-marks.repository.js';
import { SETTLED_COLUMNS, settledRows } from '../ledger/settling.js';
import type { OrderingRepository } from '../ordering/ordering.repository.js';
import { NoticeRepository } from '../report/notice.repository.js';
import {
  type AttemptResult,
  attemptsOf,
  countsOf,
  eventsOf,
  isMissed,
  isWaiting,
  latestEndOf,
  webhooksOf,
} from './attempt-result.js';
import { DatabaseBehindError, type SettlementRepository } from './settlement.repository.js';

/**
 * What became of the results whose rows were not all changed. If the answer to a commit is lost, the same result is stored
 * again: it has its attempt already.
 */
const selectSettled = (sql: Sql) => `SELECT j.id, j.lease, t.id IS NULL OR t.lease < j.lease AS is_behind
  FROM ${sql.jsonRows(SETTLED_COLUMNS)} AS j
  LEFT JOIN webhook_trigger AS t ON t.id = j.id
  LEFT JOIN webhook_attempt AS a ON a.trigger_id = j.id AND a.number = j.number
  WHERE t.id IS NULL OR t.lease < j.lease
    OR (t.lease = j.lease + 1 AND t.attempt_count = j.number AND a.trigger_id IS NULL)`;

interface SettledRow {
  id: string;
  lease: number;
  /** 1 if the database does not know yet that the trigger was leased for this attempt. */
  is_behind: number;
}

const leaseKey = ({ id, lease }: Pick<SettledRow, 'id' | 'lease'>) => `${id} ${lease}`;

/** Settles a batch with one statement for each table, where several transactions run at a time. */
export class BatchSettlementRepository implements SettlementRepository {
  private readonly triggers: LockedRows;
  private readonly webhooks: LockedRows;
  private readonly events: LockedRows;

  constructor(
    private readonly database: Database,
    private readonly notices: NoticeRepository,
    private readonly ordering: OrderingRepository,
    private readonly unwanted: UnwantedTriggers,
    private readonly ledger: Ledger,
  ) {
    this.triggers = new LockedRows(database, 'webhook_trigger');
    this.webhooks = new LockedRows(database, 'webhook', { shared: true });
    this.events = new LockedRows(database, 'webhook_event', { shared: true });
  }

  async settle(results: AttemptResult[]): Promise<void> {
    const store = () => this.storeOrdered(results);
    const besideEvents = () => this.events.guard(() => eventsOf(results), store);
    const besideWebhooks = () => this.webhooks.guard(() => webhooksOf(results), besideEvents);
    await this.triggers.guard(() => results.map(({ id }) => id), besideWebhooks);
    failpoint('settle-committed');
  }

  private async storeOrdered(results: AttemptResult[]): Promise<void> {
    const ordered = results.filter((result) => result.ordered).map(({ id }) => id);
    // At once: a mark would be examined in another transaction, and the next of the group waits for this.
    await this.store(results, (manager) => this.ordering.reconcile(manager, ordered)).catch(
      (error: unknown) => {
        if (ordered.length === 0 || !isLockTimeout(error)) throw error;
        // Somebody has locked a group. The other results of the batch have nothing to do with it.
        return this.store(results, (manager) => this.database.insertMany(manager, orderingMarksOf(ordered)));
      },
    );
  }

  private async store(
    results: AttemptResult[],
    reconcileGroups: (manager: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      failpoint('settle-begun');
      // They might wait for an attempt that is not wanted any more, or be what a webhook has missed first.
      const [waiting, missed] = [results.filter(isWaiting), results.filter(isMissed)];
      const found = await this.unwanted.find(manager, waiting, missed);
      await this.update(manager, results);
      await this.unwanted.cancel(manager, found, latestEndOf(waiting), missed);
      if (results.some(({ ordered }) => ordered)) await reconcileGroups(manager);
      failpoint('settle-written');
    });
  }

  private async update(manager: EntityManager, results: AttemptResult[]): Promise<void> {
    const held = await this.ledger.settle(manager, results);
    failpoint('settle-updated');
    // Nearly always every lease is still held, and nothing has to be compared.
    const settled = held === results.length ? results : await this.settledNow(manager, results);
    if (settled.length === 0) return;
    await this.database.insertMany(manager, attemptsOf(settled));
    await this.database.insertMany(manager, countsOf([settled]));
    await this.notices.insert(
      manager,
      settled.flatMap(({ notice }) => notice ?? []),
    );
  }

  /**
   * The results that count: a stale one leaves no attempt behind either.
   *
   * @throws DatabaseBehindError
   */
  private async settledNow(manager: EntityManager, results: AttemptResult[]): Promise<AttemptResult[]> {
    const rows = settledRows(results);
    const found = await this.database.query<SettledRow[]>(selectSettled(this.database.sql), [rows], manager);
    if (found.some(({ is_behind }) => Number(is_behind) === 1)) throw new DatabaseBehindError();
    // One batch may hold two results of the same trigger, under different leases.
    const leases = new Set(found.map(leaseKey));
    return results.filter((result) => leases.has(leaseKey(result)));
  }
}
