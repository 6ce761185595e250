import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Instance } from '../engine/instance/instance.js';
import { removeSql } from '../engine/ledger/removal.js';
import { LockedRowsError } from '../platform/database-error.js';
import { Database } from '../store/database.js';
import type { Statement } from '../store/insert.js';
import { LockedRows } from '../store/locked-rows.js';
import { WITHOUT_PAYLOAD } from '../store/tables/trigger/attempt-content.js';
import type { Batch, Ready } from './batch.js';
import { LeftoverRepository } from './leftover.repository.js';

/** What goes: bodies, requests and responses, or everything. */
export type Removed = 'payload' | 'rows';

/** One transaction of retention. */
export interface Removal {
  what: Removed;
  batch: Batch;
  /** The last trigger of an earlier part of the same notification; otherwise empty. */
  after: string;
  /** Epoch milliseconds. */
  now: number;
  /** The task whose position this transaction advances; null where the candidates are those passed over before. */
  task: string | null;
}

/** Removes what is past its retention, a batch in a transaction. */
@Injectable()
export class RemovalRepository {
  private readonly byKey: string;
  private readonly byNotification: string;
  private readonly triggers: LockedRows;
  private readonly attempts: LockedRows;

  constructor(
    private readonly database: Database,
    private readonly leftovers: LeftoverRepository,
    private readonly instance: Instance,
  ) {
    this.byKey = database.sql.byIndex('PRIMARY');
    this.byNotification = database.sql.byIndex('webhook_trigger_notification');
    this.triggers = new LockedRows(database, 'webhook_trigger');
    this.attempts = new LockedRows(database, 'webhook_attempt', { key: 'trigger_id' });
  }

  /**
   * Passes over those that are not finished after all, and those of which somebody else has locked anything.
   *
   * @returns of how many something was removed.
   */
  async remove(removal: Removal): Promise<number> {
    for (let { ready } = removal.batch; ; ) {
      const triggerIds = () => triggersOf(ready);
      const change = () => this.database.transaction((manager) => this.change(manager, removal, ready));
      try {
        return await this.triggers.guard(triggerIds, () => this.attempts.guard(triggerIds, change));
      } catch (error) {
        if (!(error instanceof LockedRowsError)) throw error;
        ready = ready.filter((one) => !one.triggerIds.some((id) => error.keys.has(id)));
      }
    }
  }

  private async change(manager: EntityManager, removal: Removal, ready: Ready[]): Promise<number> {
    const { what, batch, now, task } = removal;
    const finished = await this.finished(manager, removal, ready);
    const ids = idsOf(finished);
    const writes = what === 'payload' ? this.strip(finished, now) : this.delete(finished, batch);
    const isPart = batch.isPart && ids.length > 0;
    if (!isPart) writes.push(...this.notes(removal, ids));
    const answers = await this.database.all(manager, writes);
    if (!isPart && task !== null && answers.at(-1)?.changes === 0)
      throw new Error(`Another instance takes care of ${task} now.`);
    return ids.length;
  }

  /**
   * Locks notifications, and leaves out those that somebody else has locked, and those of which a trigger was made, or made
   * due again, meanwhile. Whoever does that locks the notification before.
   */
  private async finished(manager: EntityManager, removal: Removal, ready: Ready[]): Promise<Ready[]> {
    const { batch, after } = removal;
    const { forUpdateOfFree } = this.database.sql;
    const [locked, counted] = await this.database.all(manager, [
      ...this.on(
        idsOf(ready),
        (list) => `SELECT id FROM webhook_notification ${this.byKey} WHERE id IN ${list} ${forUpdateOfFree}`,
      ),
      ...this.on(
        idsOf(ready),
        (list) =>
          `SELECT notification_id AS id, COUNT(*) AS triggers, SUM(status IN ('PENDING', 'DELIVERING')) AS open
           FROM webhook_trigger ${this.byNotification} WHERE id > ? AND notification_id IN ${list}
           GROUP BY notification_id`,
        [after],
      ),
    ]);
    const ours = new Set((locked?.rows as { id: string }[] | undefined)?.map(({ id }) => id));
    const counts = new Map((counted?.rows as CountRow[] | undefined)?.map((row) => [row.id, row]));
    return ready.filter(({ id, exists, triggerIds }) => {
      const { triggers, open } = counts.get(id) ?? { triggers: 0, open: 0 };
      const isAll = batch.isPart || Number(triggers) === triggerIds.length;
      return (ours.has(id) || !exists) && Number(open) === 0 && isAll;
    });
  }

  private strip(finished: Ready[], now: number): Statement[] {
    const body = `UPDATE webhook_notification ${this.byKey} SET body = x'', payload_gone_at = ? WHERE payload_gone_at = 0`;
    const attempts = `UPDATE webhook_attempt ${this.byKey} SET ${WITHOUT_PAYLOAD}`;
    return [
      ...this.on(idsOf(finished), (list) => `${body} AND id IN ${list}`, [now]),
      ...this.on(triggersOf(finished), (list) => `${attempts} WHERE trigger_id IN ${list}`),
    ];
  }

  private delete(finished: Ready[], { isPart }: Batch): Statement[] {
    const { sql } = this.database;
    const from = (table: string, key: string) => (list: string) =>
      `${sql.deleteByKey(table)} WHERE ${key} IN ${list}`;
    return [
      ...this.on(triggersOf(finished), from('webhook_attempt', 'trigger_id')),
      ...this.on(triggersOf(finished), (list) => removeSql(sql, list)),
      ...this.on(isPart ? [] : idsOf(finished), from('webhook_notification', 'id')),
    ];
  }

  /** What was passed over, and how far the task has come. */
  private notes({ batch, task }: Removal, ids: string[]): Statement[] {
    if (task === null) return this.on(ids, (list) => `DELETE FROM webhook_overdue WHERE id IN ${list}`);
    const gone = new Set(ids);
    const left = batch.ids.filter((id) => !gone.has(id));
    return [
      ...(left.length > 0 ? [this.leftovers.passOver(left)] : []),
      {
        sql: 'UPDATE webhook_task SET position = ? WHERE name = ? AND held_by = ?',
        parameters: [batch.ids.at(-1), task, this.instance.id],
      },
    ];
  }

  /** A statement on a list of ids, which is its last parameter; none if the list is empty. */
  private on(ids: string[], statement: (list: string) => string, parameters: unknown[] = []): Statement[] {
    const list = this.database.sql.idList(ids);
    return ids.length > 0 ? [{ sql: statement(list.sql), parameters: [...parameters, list.parameter] }] : [];
  }
}

interface CountRow {
  id: string;
  triggers: number | string;
  open: number | string;
}

const idsOf = (ready: Ready[]) => ready.map(({ id }) => id);
const triggersOf = (ready: Ready[]) => ready.flatMap(({ triggerIds }) => triggerIds);
