import type { EntityManager } from 'typeorm';
import { isLockTimeout } from '../../common/database-error.js';
import { failpoint } from '../../common/failpoint.js';
import type { Database } from '../../database/database.js';
import { type JsonRowType, jsonRows, updateFromRows } from '../../database/json-rows.js';
import type { ChangeLog } from '../../trigger/changes/change-log.repository.js';
import { marksOf } from '../../trigger/line/line-mark.repository.js';
import type { LineRepository } from '../line/line.repository.js';
import { NoticeRepository } from '../report/notice.repository.js';
import { type AttemptResult, attemptsOf, countsOf, endOf, isWaiting } from './attempt-result.js';
import { DatabaseBehindError, type SettlementRepository } from './settlement.repository.js';

const COLUMNS: Record<string, JsonRowType> = {
  id: 'id',
  lease: 'integer',
  number: 'integer',
  status: 'word',
  begin_at: 'integer',
  end_at: 'integer',
  next_attempt_at: 'integer',
  has_failed: 'integer',
};

/** In the order of {@link COLUMNS}. */
const toRow = (result: AttemptResult) => [
  result.id,
  result.lease,
  result.number,
  result.status,
  result.beginAt,
  endOf(result),
  result.nextAttemptAt ?? 0,
  result.hasFailed ? 1 : 0,
];

/** `j` is a result's row, `t` the trigger before. */
const UPDATE_ROWS = updateFromRows(
  'mysql',
  'webhook_trigger',
  COLUMNS,
  {
    status: 'j.status',
    attempt_count: 'j.number',
    begin_at: 'CASE t.begin_at WHEN 0 THEN j.begin_at ELSE t.begin_at END',
    end_at: 'j.end_at',
    next_attempt_at: 'j.next_attempt_at',
    leased_by: `''`,
    cause: `'schedule'`,
    has_failed: 'j.has_failed',
    lease: 't.lease + 1',
  },
  't.id = j.id AND t.lease = j.lease',
);

/**
 * What became of the results whose rows were not all changed. If the answer to a commit is lost, the same result is stored
 * again: it has its attempt already.
 */
const SELECT_SETTLED = `SELECT j.id, j.lease, t.id IS NULL OR t.lease < j.lease AS is_behind
  FROM ${jsonRows('mysql', COLUMNS)} AS j
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

/** Settles a batch with one statement for each table, on MySQL and MariaDB. */
export class MysqlSettlementRepository implements SettlementRepository {
  constructor(
    private readonly database: Database,
    private readonly notices: NoticeRepository,
    private readonly lines: LineRepository,
    private readonly changes: ChangeLog,
  ) {}

  async settle(results: AttemptResult[]): Promise<void> {
    const lined = results.filter((result) => result.lined).map(({ id }) => id);
    // At once: a mark would be looked at in another transaction, and the next of the line waits for this.
    await this.store(results, (manager) => this.lines.putRight(manager, lined)).catch((error: unknown) => {
      if (lined.length === 0 || !isLockTimeout(error)) throw error;
      // Somebody holds on to a line. The other results of the batch have nothing to do with it.
      return this.store(results, (manager) => this.database.insertMany(manager, marksOf(lined)));
    });
    failpoint('settle-committed');
  }

  private async store(
    results: AttemptResult[],
    tellLines: (manager: EntityManager) => Promise<unknown>,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      failpoint('settle-begun');
      const unwanted = await this.unwanted(manager, results);
      await this.update(manager, results);
      await this.cancel(manager, unwanted);
      await this.changes.add(
        manager,
        results.map(({ id }) => id),
      );
      if (results.some(({ lined }) => lined)) await tellLines(manager);
      failpoint('settle-written');
    });
  }

  /**
   * The results that would wait for another attempt, though their webhook or subscription has been switched off: the
   * transaction that cancelled its other triggers did not see these. Locks, so that no such change is under way.
   */
  private async unwanted(manager: EntityManager, results: AttemptResult[]): Promise<AttemptResult[]> {
    const waiting = results.filter(isWaiting);
    if (waiting.length === 0) return [];
    const webhooks = await this.enabled(
      manager,
      'webhook',
      waiting.map(({ webhookId }) => webhookId),
    );
    const subscriptions = await this.enabled(
      manager,
      'webhook_event',
      waiting.flatMap(({ subscriptionId }) => subscriptionId ?? []),
    );
    return waiting.filter(
      ({ webhookId, subscriptionId }) =>
        !webhooks.has(webhookId) || (subscriptionId !== null && !subscriptions.has(subscriptionId)),
    );
  }

  private async enabled(manager: EntityManager, table: string, ids: string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM ${table} WHERE id IN (?) AND enabled = 1 LOCK IN SHARE MODE`,
      [[...new Set(ids)]],
      manager,
    );
    return new Set(rows.map(({ id }) => id));
  }

  private async cancel(manager: EntityManager, unwanted: AttemptResult[]): Promise<void> {
    if (unwanted.length === 0) return;
    await this.database.query(
      `UPDATE webhook_trigger SET status = 'CANCELLED', end_at = ?, next_attempt_at = 0
       WHERE id IN (?) AND status = 'PENDING'`,
      [Math.max(...unwanted.map(({ endAt }) => endAt)), unwanted.map(({ id }) => id)],
      manager,
    );
  }

  private async update(manager: EntityManager, results: AttemptResult[]): Promise<void> {
    const rows = JSON.stringify(results.map(toRow));
    const { affectedRows } = await this.database.query<{ affectedRows: number }>(
      UPDATE_ROWS,
      [rows],
      manager,
    );
    failpoint('settle-updated');
    // Nearly always every lease is still held, and nothing has to be compared.
    const settled = affectedRows === results.length ? results : await this.settledNow(manager, results, rows);
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
  private async settledNow(
    manager: EntityManager,
    results: AttemptResult[],
    rows: string,
  ): Promise<AttemptResult[]> {
    const found = await this.database.query<SettledRow[]>(SELECT_SETTLED, [rows], manager);
    if (found.some(({ is_behind }) => Number(is_behind) === 1)) throw new DatabaseBehindError();
    // One batch may hold two results of the same trigger, under different leases.
    const leases = new Set(found.map(leaseKey));
    return results.filter((result) => leases.has(leaseKey(result)));
  }
}
