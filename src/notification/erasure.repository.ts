import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ChangeLog } from '../engine/changes/change-log.repository.js';
import { Ledger } from '../engine/ledger/ledger.repository.js';
import { Database } from '../store/database.js';
import { ERASED, MAY_HOLD_RECORD } from '../store/tables/trigger/attempt-content.js';
import { batchesOf, type Erasable } from './erasure-batches.js';

/** Notifications read at a time. */
const PAGE = 500;

/** The notifications of one record. */
export interface OfRecord {
  userId: string;
  recordId: string;
}

/** What one transaction erased. */
export interface ErasedBatch {
  notifications: number;
  triggers: number;
  cancelled: number;
  /** The notifications whose triggers were cancelled. */
  cancelledOf: string[];
}

/** A trigger, or a notification without any. */
interface LockedRow {
  notification_id: string;
  id: string | null;
  status: string | null;
}

type CountedRow = { [Name in keyof Erasable]: Name extends 'id' ? string : number | string };

const triggersOf = (rows: LockedRow[]) => rows.flatMap(({ id }) => id ?? []);

/** Takes the data of notifications away, and leaves their rows. */
@Injectable()
export class ErasureRepository {
  private readonly byRecord: string;
  private readonly byNotification: string;
  private readonly byKey: string;
  private readonly locked: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
    private readonly changes: ChangeLog,
  ) {
    const use = (index: string) => database.sql.byIndex(index);
    this.byRecord = use('webhook_notification_record');
    this.byNotification = use('webhook_trigger_notification');
    this.byKey = use('PRIMARY');
    this.locked = database.sql.forUpdate;
  }

  /** The newest notification of a record that is stored by now; null if there is none. */
  async last(of: OfRecord): Promise<string | null> {
    const [row] = await this.database.query<{ id: string | null }[]>(
      `SELECT MAX(id) AS id FROM webhook_notification ${this.byRecord} WHERE user_id = ? AND record_id = ?`,
      this.parametersOf(of),
    );
    return row?.id ?? null;
  }

  /** The next notifications that are not erased yet, behind one id and up to another, with what hangs on them. */
  async next(of: OfRecord, behind: string, last: string): Promise<Erasable[]> {
    const rows = await this.database.query<CountedRow[]>(
      `SELECT n.id, n.bytes, COUNT(t.id) AS triggers, COALESCE(SUM(t.attempt_count), 0) AS attempts FROM (
         SELECT id, LENGTH(body) AS bytes FROM webhook_notification ${this.byRecord}
         WHERE user_id = ? AND record_id = ? AND id > ? AND id <= ? AND erased_at = 0 ORDER BY id LIMIT ${PAGE}
       ) AS n LEFT JOIN webhook_trigger AS t ${this.byNotification} ON t.notification_id = n.id
       GROUP BY n.id, n.bytes ORDER BY n.id`,
      [...this.parametersOf(of), behind, last],
    );
    return rows.map(({ id, bytes, triggers, attempts }) => ({
      id,
      bytes: Number(bytes),
      triggers: Number(triggers),
      attempts: Number(attempts),
    }));
  }

  /** How many transactions to run in parallel. */
  get parallel(): number {
    return this.database.parallelCommits;
  }

  /** @returns whether what was erased is gone from the database's files as well, as far as that is up to us. */
  finish(): Promise<boolean> {
    return this.database.removeErased();
  }

  /** Erases notifications and all that hangs on them in one transaction. Those that are erased already do not count. */
  erase(ids: string[], now: number): Promise<ErasedBatch> {
    return this.database.transaction(async (manager) => {
      const rows = await this.lock(manager, ids);
      const notifications = [...new Set(rows.map((row) => row.notification_id))];
      const isUndelivered = ({ status }: LockedRow) => status === 'PENDING' || status === 'DELIVERING';
      const undelivered = rows.filter(isUndelivered);
      // Marks of manual requests are left to the claimer, which removes those of triggers that do not wait.
      await this.ledger.apply(manager, 'erase', { ids: triggersOf(undelivered) }, now);
      // After the triggers: until they were locked, an attempt could still be stored.
      await this.blankAttempts(manager, triggersOf(rows));
      await this.blankBodies(manager, notifications, now);
      await this.changes.add(manager, triggersOf(rows.filter((row) => !isUndelivered(row))));
      return {
        notifications: notifications.length,
        triggers: triggersOf(rows).length,
        cancelled: undelivered.length,
        cancelledOf: [...new Set(undelivered.map(({ notification_id }) => notification_id))],
      };
    });
  }

  /**
   * Blanks the attempts of one notification that has very many of them, in several transactions, so that the one that
   * erases it finds little left to do.
   */
  async eraseAttempts(notificationId: string): Promise<void> {
    const triggers = await this.database.query<{ id: string; attempt_count: number }[]>(
      `SELECT id, attempt_count FROM webhook_trigger ${this.byNotification} WHERE notification_id = ?`,
      [notificationId],
    );
    const parts = batchesOf(
      triggers.map(({ id, attempt_count }) => ({ id, bytes: 0, triggers: 1, attempts: attempt_count })),
    );
    for (const part of parts)
      await this.database.transaction((manager) =>
        this.blankAttempts(
          manager,
          part.map(({ id }) => id),
        ),
      );
  }

  /**
   * Locks notifications that are not erased yet, and all their triggers: an attempt of any of them may be about to be stored.
   * Whoever makes a finished trigger due again locks its notification first, and looks whether there is a body.
   */
  private async lock(manager: EntityManager, ids: string[]): Promise<LockedRow[]> {
    const list = this.database.sql.idList(ids);
    return this.database.query(
      `SELECT n.id AS notification_id, t.id, t.status FROM webhook_notification AS n ${this.byKey}
       LEFT JOIN webhook_trigger AS t ${this.byNotification} ON t.notification_id = n.id
       WHERE n.id IN ${list.sql} AND n.erased_at = 0 ORDER BY n.id, t.id ${this.locked}`,
      [list.parameter],
      manager,
    );
  }

  private async blankAttempts(manager: EntityManager, triggerIds: string[]): Promise<void> {
    if (triggerIds.length === 0) return;
    const list = this.database.sql.idList(triggerIds);
    await this.database.query(
      `UPDATE webhook_attempt ${this.byKey} SET ${ERASED} WHERE trigger_id IN ${list.sql} AND ${MAY_HOLD_RECORD}`,
      [list.parameter],
      manager,
    );
  }

  private async blankBodies(manager: EntityManager, ids: string[], now: number): Promise<void> {
    if (ids.length === 0) return;
    const list = this.database.sql.idList(ids);
    await this.database.query(
      `UPDATE webhook_notification ${this.byKey} SET body = x'', erased_at = ?,
         payload_gone_at = CASE payload_gone_at WHEN 0 THEN ? ELSE payload_gone_at END WHERE id IN ${list.sql}`,
      [now, now, list.parameter],
      manager,
    );
  }

  private parametersOf({ userId, recordId }: OfRecord): unknown[] {
    return [userId, this.database.sql.exact(recordId)];
  }
}
