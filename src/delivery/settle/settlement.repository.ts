import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { failpoint } from '../../common/failpoint.js';
import { Database } from '../../database/database.js';
import { type JsonRowType, jsonRows, updateFromRows } from '../../database/json-rows.js';
import { ATTEMPT_COLUMNS, type AttemptResult, attemptsOf, endOf, isWaiting } from './attempt-result.js';

const COLUMNS: Record<string, JsonRowType> = {
  id: 'id',
  lease: 'integer',
  number: 'integer',
  status: 'word',
  begin_at: 'integer',
  end_at: 'integer',
  next_attempt_at: 'integer',
};

/** Columns of the trigger, and what each is set to from a settled row `j`. `t` is the trigger before. */
const CHANGES = {
  status: 'j.status',
  attempt_count: 'j.number',
  begin_at: 'CASE t.begin_at WHEN 0 THEN j.begin_at ELSE t.begin_at END',
  end_at: 'j.end_at',
  next_attempt_at: 'j.next_attempt_at',
  leased_by: `''`,
  lease: 't.lease + 1',
};

/** In the order of {@link COLUMNS}. */
const toRow = (s: AttemptResult) => [
  s.id,
  s.lease,
  s.number,
  s.status,
  s.beginAt,
  endOf(s),
  s.nextAttemptAt ?? 0,
];

/** The parameters of {@link UPDATE_ONE}. */
const toUpdate = (s: AttemptResult) => [
  s.status,
  s.number,
  s.beginAt,
  endOf(s),
  s.nextAttemptAt ?? 0,
  s.id,
  s.lease,
];

interface LeaseRow {
  id: string;
  lease: number;
}

const leaseKey = ({ id, lease }: LeaseRow) => `${id} ${lease}`;

@Injectable()
export class SettlementRepository {
  constructor(private readonly database: Database) {}

  /** Stores the results whose leases are still held; the others change nothing. */
  async settle(results: AttemptResult[]): Promise<void> {
    if (this.database.dialect === 'sqlite') await this.settleEach(results);
    else await this.settleTogether(results);
    failpoint('settle-committed');
  }

  private async settleEach(results: AttemptResult[]): Promise<void> {
    const waiting = results.filter(isWaiting).map(({ id }) => id);
    await this.database.script([
      'settle-begun',
      { sql: UPDATE_ONE, rows: results.map(toUpdate) },
      'settle-updated',
      { sql: INSERT_ONE, rows: attemptsOf(results).rows, changedBy: 0 },
      ...(waiting.length > 0 ? [{ sql: CANCEL_UNWANTED, parameters: [JSON.stringify(waiting)] }] : []),
      'settle-written',
    ]);
  }

  private async settleTogether(results: AttemptResult[]): Promise<void> {
    await this.database.transaction(async (manager) => {
      failpoint('settle-begun');
      const unwanted = await this.unwanted(manager, results);
      await this.settleRows(manager, results);
      await this.cancel(manager, unwanted);
      failpoint('settle-written');
    });
  }

  /**
   * The results that would wait for another attempt, though their webhook or subscription has been switched off meanwhile:
   * what cancelled the rest of its triggers did not see these. Locked, so that no such change is under way.
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
      (s) =>
        !webhooks.has(s.webhookId) || (s.subscriptionId !== null && !subscriptions.has(s.subscriptionId)),
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

  private async settleRows(manager: EntityManager, results: AttemptResult[]): Promise<void> {
    const rows = JSON.stringify(results.map(toRow));
    const { affectedRows } = await this.database.query<{ affectedRows: number }>(
      UPDATE_ROWS,
      [rows],
      manager,
    );
    failpoint('settle-updated');
    // Where every lease was still held, as nearly always, there is nothing to compare with.
    const settled = affectedRows === results.length ? results : await this.settledNow(manager, results, rows);
    await this.database.insertMany(manager, attemptsOf(settled));
  }

  /** Those of the results that count: a stale one leaves no attempt either. */
  private async settledNow(
    manager: EntityManager,
    results: AttemptResult[],
    rows: string,
  ): Promise<AttemptResult[]> {
    const found = await this.database.query<LeaseRow[]>(SELECT_SETTLED, [rows], manager);
    // One batch may hold two results of the same trigger, under different leases.
    const leases = new Set(found.map(leaseKey));
    return results.filter((result) => leases.has(leaseKey(result)));
  }
}

const UPDATE_ONE = `UPDATE webhook_trigger SET status = ?, attempt_count = ?, begin_at = CASE begin_at WHEN 0 THEN ? ELSE begin_at END,
    end_at = ?, next_attempt_at = ?, leased_by = '', lease = lease + 1
  WHERE id = ? AND lease = ?`;

const INSERT_ONE = `INSERT OR IGNORE INTO webhook_attempt (${ATTEMPT_COLUMNS.join(', ')})
  VALUES (${ATTEMPT_COLUMNS.map(() => '?').join(', ')})`;

/** As `unwanted` and `cancel` do elsewhere; nothing else is under way on SQLite meanwhile. */
const CANCEL_UNWANTED = `UPDATE webhook_trigger AS t SET status = 'CANCELLED', next_attempt_at = 0,
    end_at = (SELECT end_at FROM webhook_attempt WHERE trigger_id = t.id AND number = t.attempt_count)
  WHERE id IN (SELECT value FROM json_each(?)) AND status = 'PENDING' AND NOT (
    EXISTS (SELECT 1 FROM webhook WHERE id = t.webhook_id AND enabled = 1) AND
    (event_id IS NULL OR EXISTS (SELECT 1 FROM webhook_event WHERE id = t.event_id AND enabled = 1)))`;

const UPDATE_ROWS = updateFromRows(
  'mysql',
  'webhook_trigger',
  COLUMNS,
  CHANGES,
  't.id = j.id AND t.lease = j.lease',
);

// What has its attempt already came by a commit whose answer got lost, after which the same result is stored again.
const SELECT_SETTLED = `SELECT j.id, j.lease FROM ${jsonRows('mysql', COLUMNS)} AS j
  STRAIGHT_JOIN webhook_trigger AS t ON t.id = j.id AND t.lease = j.lease + 1 AND t.attempt_count = j.number
  LEFT JOIN webhook_attempt AS a ON a.trigger_id = j.id AND a.number = j.number
  WHERE a.trigger_id IS NULL`;
