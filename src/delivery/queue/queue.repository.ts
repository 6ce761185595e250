import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { failpoint } from '../../common/failpoint.js';
import { Database } from '../../database/database.js';
import { insertStep } from '../../database/insert.js';
import { type JsonRowType, updateFromRows } from '../../database/json-rows.js';
import type { RowAnswer, SqliteAnswer } from '../../database/sqlite/sqlite-session.js';
import { ChangeLog } from '../../trigger/changes/change-log.repository.js';
import { HELD } from '../../trigger/line/held.js';
import { LineMarks } from '../../trigger/line/line-mark.repository.js';
import type { AttemptCause } from '../../trigger/trigger.entity.js';
import type { LeasedNotification, LeasedTrigger } from './leased-trigger.js';

/** The state that a trigger gets when its lease is given back. */
export interface Release {
  status: 'CANCELLED' | 'PENDING';
  /** When it was cancelled, or will be due. Epoch milliseconds. */
  at: number;
}

/** A lease to give back. */
type HeldLease = Pick<LeasedTrigger, 'id' | 'lease' | 'lined'>;

/** A trigger's place in the order of the queue. */
export interface QueuePlace {
  /** Epoch milliseconds. */
  dueAt: number;
  id: string;
}

export interface DueTrigger extends QueuePlace {
  webhookId: string;
}

interface ClaimedRow {
  id: string;
  webhook_id: string;
  event_id: string | null;
  event_kind: string;
  notification_id: string;
  next_attempt_at: number | string;
  lease: number;
  attempt_count: number;
  schedule_offset: number;
  cause: AttemptCause;
  has_failed: number | boolean;
  lined: number | boolean;
}

const CLAIMED_COLUMNS =
  'id, webhook_id, event_id, event_kind, notification_id, next_attempt_at, lease, attempt_count, schedule_offset, cause, has_failed, lined';

const RELEASED_COLUMNS: Record<string, JsonRowType> = {
  id: 'id',
  lease: 'integer',
  status: 'word',
  next_attempt_at: 'integer',
  end_at: 'integer',
};

/** Not one that has lost its turn in a line since it was found. */
const IS_CLAIMABLE = `status = 'PENDING' AND next_attempt_at < ${HELD}`;

const CLAIM_ONE = `UPDATE webhook_trigger SET status = 'DELIVERING', leased_by = ?, lease = lease + 1
  WHERE id = ? AND ${IS_CLAIMABLE} RETURNING ${CLAIMED_COLUMNS}`;

const SELECT_CLAIMED_NOTIFICATIONS = `SELECT id, traceparent, hops, body FROM webhook_notification
  WHERE id IN (SELECT notification_id FROM webhook_trigger WHERE id IN (SELECT value FROM json_each(?)))`;

/** The durable queue: due triggers out, leases back. */
@Injectable()
export class QueueRepository {
  private readonly releaseSql: string;

  constructor(
    private readonly database: Database,
    private readonly lines: LineMarks,
    private readonly changes: ChangeLog,
  ) {
    this.releaseSql = updateFromRows(
      database.dialect,
      'webhook_trigger',
      RELEASED_COLUMNS,
      {
        status: 'j.status',
        next_attempt_at: 'j.next_attempt_at',
        end_at: 'j.end_at',
        leased_by: `''`,
        lease: 't.lease + 1',
      },
      't.id = j.id AND t.lease = j.lease',
    );
  }

  /**
   * Triggers that are due by `now` and stand behind a place in the queue, oldest first. Reads only the index and locks
   * nothing: another process may take them before they are claimed.
   */
  async due(now: number, behind: QueuePlace, limit: number): Promise<DueTrigger[]> {
    const rows = await this.database.query<
      { id: string; webhook_id: string; next_attempt_at: number | string }[]
    >(
      `SELECT id, webhook_id, next_attempt_at FROM webhook_trigger
       WHERE status = 'PENDING' AND next_attempt_at <= ? AND next_attempt_at >= ?
         AND (next_attempt_at > ? OR id > ?)
       ORDER BY next_attempt_at, id LIMIT ${limit}`,
      [now, behind.dueAt, behind.dueAt, behind.id],
    );
    return rows.map((row) => ({ id: row.id, webhookId: row.webhook_id, dueAt: Number(row.next_attempt_at) }));
  }

  /** Leases to an instance those of these triggers that are still pending. Nothing is locked when it resolves. */
  async claim(instanceId: string, ids: string[]): Promise<LeasedTrigger[]> {
    if (ids.length === 0) return [];
    if (this.database.dialect === 'sqlite') return this.claimEach(instanceId, ids);
    return this.database.transaction(async (manager) => {
      const claimed = await this.claimUnlocked(manager, instanceId, ids);
      failpoint('claim-leased');
      // Read before the commit: if reading failed afterwards, nobody would hold the leases.
      return withNotifications(claimed, await this.notificationsOf(manager, claimed));
    });
  }

  /** When the first pending trigger after `time` is due; null if there is none. */
  async nextDueAfter(time: number): Promise<number | null> {
    const [row] = await this.database.query<{ at: number | string | null }[]>(
      `SELECT MIN(next_attempt_at) AS at FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at > ? AND next_attempt_at < ${HELD}`,
      [time],
    );
    return row?.at == null ? null : Number(row.at);
  }

  /** Gives back, without an attempt, those of these leases that are still held. */
  async release(leased: HeldLease[], as: Release): Promise<void> {
    const pending = as.status === 'PENDING';
    await this.writeReleased(
      leased.map(({ id, lease }) => [id, lease, as.status, pending ? as.at : 0, pending ? 0 : as.at]),
      leased,
    );
  }

  /** Gives back, without an attempt, those of these leases that are still held. They are due where they were before. */
  async putBack(leased: (HeldLease & Pick<LeasedTrigger, 'dueAt'>)[]): Promise<void> {
    await this.writeReleased(
      leased.map(({ id, lease, dueAt }) => [id, lease, 'PENDING', dueAt, 0]),
      leased,
    );
  }

  /** @param rows in the order of {@link RELEASED_COLUMNS}. */
  private async writeReleased(rows: (string | number)[][], leased: HeldLease[]): Promise<void> {
    if (rows.length === 0) return;
    failpoint('release-before');
    const parameters = [JSON.stringify(rows)];
    const lined = leased.filter((trigger) => trigger.lined).map(({ id }) => id);
    const changes = await this.changes.rowsOf({ trigger: leased.map(({ id }) => id) });
    if (lined.length === 0 && changes.length === 0) await this.database.query(this.releaseSql, parameters);
    else
      await this.database.transaction(async (manager) => {
        await this.database.query(this.releaseSql, parameters, manager);
        await this.lines.add(manager, lined);
        for (const insert of changes) await this.database.insertMany(manager, insert);
      });
    failpoint('release-after');
  }

  private async claimEach(instanceId: string, ids: string[]): Promise<LeasedTrigger[]> {
    const changes = await this.changes.rowsOf({ trigger: ids });
    const [claimed, found] = await this.database.script([
      { sql: CLAIM_ONE, rows: ids.map((id) => [instanceId, id]) },
      'claim-leased',
      { sql: SELECT_CLAIMED_NOTIFICATIONS, parameters: [JSON.stringify(ids)] },
      ...changes.map(insertStep),
    ]);
    return withNotifications(
      (claimed as RowAnswer<ClaimedRow>[]).filter((row) => typeof row === 'object'),
      (found as SqliteAnswer).rows as LeasedNotification[],
    );
  }

  /** Skips the triggers that other processes are claiming at this moment. */
  private async claimUnlocked(
    manager: EntityManager,
    instanceId: string,
    ids: string[],
  ): Promise<ClaimedRow[]> {
    const rows = await this.database.query<ClaimedRow[]>(
      `SELECT ${CLAIMED_COLUMNS} FROM webhook_trigger WHERE id IN (?) AND ${IS_CLAIMABLE} FOR UPDATE SKIP LOCKED`,
      [ids],
      manager,
    );
    if (rows.length === 0) return [];
    await this.database.query(
      `UPDATE webhook_trigger SET status = 'DELIVERING', leased_by = ?, lease = lease + 1 WHERE id IN (?)`,
      [instanceId, rows.map(({ id }) => id)],
      manager,
    );
    await this.changes.add(
      manager,
      rows.map(({ id }) => id),
    );
    const byId = new Map(rows.map((row) => [row.id, { ...row, lease: row.lease + 1 }]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  private async notificationsOf(
    manager: EntityManager,
    claimed: ClaimedRow[],
  ): Promise<LeasedNotification[]> {
    if (claimed.length === 0) return [];
    const ids = [...new Set(claimed.map((row) => row.notification_id))];
    const sql = 'SELECT id, traceparent, hops, body FROM webhook_notification WHERE id IN (?)';
    return this.database.query(sql, [ids], manager);
  }
}

function withNotifications(claimed: ClaimedRow[], found: LeasedNotification[]): LeasedTrigger[] {
  const notifications = new Map(found.map((notification) => [notification.id, notification]));
  return claimed.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    subscriptionId: row.event_id,
    eventKind: row.event_kind,
    dueAt: Number(row.next_attempt_at),
    lease: row.lease,
    attemptCount: row.attempt_count,
    scheduleOffset: row.schedule_offset,
    hasFailed: Boolean(row.has_failed),
    lined: Boolean(row.lined),
    cause: causeOf(row),
    isProbe: row.cause === 'probe',
    urgent: false,
    notification: notifications.get(row.notification_id) ?? gone(row.notification_id),
  }));
}

/** A test has no event. Only its first attempt is the test; later ones follow the schedule. */
const causeOf = ({ cause, event_id, attempt_count }: ClaimedRow): AttemptCause =>
  cause === 'schedule' && event_id === null && attempt_count === 0 ? 'test' : cause;

/** Stands for a missing notification: its triggers fail one by one when they are sent, and delay no other claim. */
const gone = (id: string): LeasedNotification => ({ id, traceparent: null, hops: 0, body: null });
