import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Instance } from '../engine/instance/instance.js';
import { removeSql } from '../engine/ledger/removal.js';
import { LockedRowsError } from '../platform/database-error.js';
import { Database } from '../store/database.js';
import { LockedRows } from '../store/locked-rows.js';
import { TaskEntity } from '../store/tables/task.entity.js';
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
  /** Whose position is stored in the transaction; null where the candidates are those passed over before. */
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
    const ids = finished.map(({ id }) => id);
    await (what === 'payload' ? this.strip(manager, finished, now) : this.delete(manager, finished, batch));
    if (batch.isPart && ids.length > 0) return ids.length;
    if (task === null)
      await this.each(manager, ids, (list) => `DELETE FROM webhook_overdue WHERE id IN ${list}`);
    else {
      const gone = new Set(ids);
      const left = batch.ids.filter((id) => !gone.has(id));
      await this.leftovers.passOver(left, manager);
      const held = { name: task, heldBy: this.instance.id };
      const { affected } = await manager.update(TaskEntity, held, { position: batch.ids.at(-1) });
      if (affected === 0) throw new Error(`Another instance takes care of ${task} now.`);
    }
    return ids.length;
  }

  /**
   * Locks notifications, and leaves out those that somebody else has locked, and those of which a trigger was made, or made
   * due again, meanwhile. Whoever does that locks the notification before.
   */
  private async finished(manager: EntityManager, removal: Removal, ready: Ready[]): Promise<Ready[]> {
    const { batch, after } = removal;
    const { forUpdateOfFree } = this.database.sql;
    const locked = await this.each<{ id: string }>(
      manager,
      idsOf(ready.filter(({ exists }) => exists)),
      (list) => `SELECT id FROM webhook_notification ${this.byKey} WHERE id IN ${list} ${forUpdateOfFree}`,
    );
    const ours = new Set(locked.map(({ id }) => id));
    const free = ready.filter(({ id, exists }) => !exists || ours.has(id));
    const counts = await this.each<{ id: string; triggers: number | string; open: number | string }>(
      manager,
      idsOf(free),
      (list) =>
        `SELECT notification_id AS id, COUNT(*) AS triggers, SUM(status IN ('PENDING', 'DELIVERING')) AS open
         FROM webhook_trigger ${this.byNotification} WHERE id > ? AND notification_id IN ${list}
         GROUP BY notification_id`,
      [after],
    );
    const countOf = new Map(counts.map((count) => [count.id, count]));
    return free.filter(({ id, triggerIds }) => {
      const { triggers, open } = countOf.get(id) ?? { triggers: 0, open: 0 };
      return Number(open) === 0 && (batch.isPart || Number(triggers) === triggerIds.length);
    });
  }

  private async strip(manager: EntityManager, finished: Ready[], now: number): Promise<void> {
    const body = `UPDATE webhook_notification ${this.byKey} SET body = x'', payload_gone_at = ? WHERE payload_gone_at = 0`;
    await this.each(manager, idsOf(finished), (list) => `${body} AND id IN ${list}`, [now]);
    const attempts = `UPDATE webhook_attempt ${this.byKey} SET ${WITHOUT_PAYLOAD}`;
    await this.each(manager, triggersOf(finished), (list) => `${attempts} WHERE trigger_id IN ${list}`);
  }

  private async delete(manager: EntityManager, finished: Ready[], { isPart }: Batch): Promise<void> {
    const { sql } = this.database;
    const attempts = sql.deleteByKey('webhook_attempt');
    await this.each(manager, triggersOf(finished), (list) => `${attempts} WHERE trigger_id IN ${list}`);
    await this.each(manager, triggersOf(finished), (list) => removeSql(sql, list));
    const notifications = sql.deleteByKey('webhook_notification');
    if (!isPart) await this.each(manager, idsOf(finished), (list) => `${notifications} WHERE id IN ${list}`);
  }

  /** Runs a statement on a list of ids, which is its last parameter; not at all if it is empty. */
  private async each<T>(
    manager: EntityManager,
    ids: string[],
    statement: (list: string) => string,
    parameters: unknown[] = [],
  ): Promise<T[]> {
    if (ids.length === 0) return [];
    const list = this.database.sql.idList(ids);
    return this.database.query(statement(list.sql), [...parameters, list.parameter], manager);
  }
}

const idsOf = (ready: Ready[]) => ready.map(({ id }) => id);
const triggersOf = (ready: Ready[]) => ready.flatMap(({ triggerIds }) => triggerIds);
