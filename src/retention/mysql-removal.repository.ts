import type { EntityManager } from 'typeorm';
import { REMOVE_LISTED } from '../engine/ledger/removal.js';
import type { Clock } from '../platform/clock.js';
import { isLockTimeout } from '../platform/database-error.js';
import type { Database } from '../store/database.js';
import { WITHOUT_PAYLOAD } from '../store/tables/trigger/attempt-content.js';
import type { Batch } from './batch.js';
import {
  type Progress,
  type Removal,
  type RemovalAnswer,
  type RemovalRepository,
  TaskLostError,
} from './removal.repository.js';

interface TriggerRow {
  id: string;
  notification_id: string;
  status: string;
}

const OPEN = `('PENDING', 'DELIVERING')`;
// The optimiser might otherwise scan the table, and lock all of it.
const BY_NOTIFICATION = 'webhook_trigger FORCE INDEX (webhook_trigger_notification)';
const STRIP_ATTEMPTS = `UPDATE webhook_attempt FORCE INDEX (PRIMARY)
  SET ${WITHOUT_PAYLOAD} WHERE trigger_id IN (?)`;
const STRIP_NOTIFICATIONS = `UPDATE webhook_notification FORCE INDEX (PRIMARY) SET body = '', payload_gone_at = ?
  WHERE id IN (?) AND payload_gone_at = 0`;
const DELETE_ATTEMPTS = 'DELETE a FROM webhook_attempt AS a FORCE INDEX (PRIMARY) WHERE a.trigger_id IN (?)';
const DELETE_NOTIFICATIONS =
  'DELETE n FROM webhook_notification AS n FORCE INDEX (PRIMARY) WHERE n.id IN (?)';

const MAX_RUNS = 3;

/** A finished trigger was made due again by somebody who has not locked its notification. Running again finds it open. */
class TriggerChangedError extends Error {}

/** For how long, after a lock was not free in time, triggers and attempts are looked at before they are changed. */
const WARY_MS = 30_000;
/** The tables whose rows it changes besides those of notifications, and the column that names the trigger. */
const LOCKABLE = [
  ['webhook_trigger', 'id'],
  ['webhook_attempt', 'trigger_id'],
] as const;

/** A transaction of a few statements, each with the rows it changes listed by their primary keys. */
export class MysqlRemovalRepository implements RemovalRepository {
  /** On the monotonic clock. */
  private waryUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async remove(removal: Removal): Promise<RemovalAnswer> {
    let longestMs = 0;
    let shortestMs = Number.POSITIVE_INFINITY;
    const timed: Run = async (manager, sql, parameters) => {
      const begin = this.clock.monotonic();
      const answer = await this.database.query<never>(sql, parameters, manager);
      const ms = this.clock.monotonic() - begin;
      longestMs = Math.max(longestMs, ms);
      shortestMs = Math.min(shortestMs, ms);
      return answer;
    };
    for (let runs = 1; ; runs++) {
      const isWary = this.clock.monotonic() < this.waryUntil;
      try {
        const notifications = await this.database.transaction((manager) =>
          new Removing(removal, isWary, (sql, parameters) => timed(manager, sql, parameters)).run(),
        );
        // The shortest is about what any round trip takes now, with a busy event loop; smaller batches would not change that.
        return { notifications, longestMs: Math.max(0, longestMs - shortestMs) };
      } catch (error) {
        // Somebody has locked a trigger or an attempt of one notification: it is passed over, and the others go.
        const isLocked = isLockTimeout(error) && !isWary;
        if (isLocked) this.waryUntil = this.clock.monotonic() + WARY_MS;
        else if (!(error instanceof TriggerChangedError) || runs === MAX_RUNS) throw error;
      }
    }
  }
}

type Run = <T>(manager: EntityManager, sql: string, parameters: unknown[]) => Promise<T>;
type Query = <T>(sql: string, parameters: unknown[]) => Promise<T>;

/** One transaction. */
class Removing {
  constructor(
    private readonly removal: Removal,
    private readonly isWary: boolean,
    private readonly query: Query,
  ) {}

  /** @returns how many notifications it dealt with. */
  async run(): Promise<number> {
    const { batch, progress } = this.removal;
    const { ids, triggerIds } = await this.finished(batch);
    const changed = await this.change(ids, triggerIds);
    if (!progress) {
      if (!batch.isPart) await this.list('DELETE FROM webhook_overdue WHERE id IN (?)', ids);
      return changed;
    }
    const finished = new Set(ids);
    const passedOver = [...batch.waiting, ...batch.ready.flatMap(({ id }) => (finished.has(id) ? [] : id))];
    const rows = passedOver.map((id) => [id]);
    if (rows.length > 0) await this.query('INSERT IGNORE INTO webhook_overdue (id) VALUES ?', [rows]);
    if (!batch.isPart) await this.note(progress);
    return changed;
  }

  /** Locks notifications and leaves out those that are not finished after all, or that somebody else has locked. */
  private async finished({ ready, isListed }: Batch): Promise<{ ids: string[]; triggerIds: string[] }> {
    const candidates = ready.map(({ id }) => id);
    if (candidates.length === 0) return { ids: [], triggerIds: [] };
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    const locked = idsOf(
      await this.query('SELECT id FROM webhook_notification WHERE id IN (?) FOR UPDATE SKIP LOCKED', [
        candidates,
      ]),
    );
    if (locked.length < candidates.length) {
      // Triggers may name a notification that does not exist. Nobody can make those due again.
      const sql = 'SELECT id FROM webhook_notification WHERE id IN (?)';
      const existing = new Set(idsOf(await this.query(sql, [candidates])));
      locked.push(...candidates.filter((id) => !existing.has(id)));
    }
    if (locked.length === 0) return { ids: [], triggerIds: [] };
    if (isListed) {
      const sql = `SELECT id FROM ${BY_NOTIFICATION} WHERE notification_id IN (?) AND status IN ${OPEN} LIMIT 1`;
      const [open] = await this.query<unknown[]>(sql, [locked]);
      const listed = ready[0]?.triggerIds ?? [];
      const isFree = !open && (await this.lockedAmong(listed)).size === 0;
      return isFree ? { ids: locked, triggerIds: listed } : { ids: [], triggerIds: [] };
    }
    const sql = `SELECT id, notification_id, status FROM ${BY_NOTIFICATION} WHERE notification_id IN (?)`;
    const triggers = await this.query<TriggerRow[]>(sql, [locked]);
    const others = await this.lockedAmong(idsOf(triggers));
    const isLeft = (trigger: TriggerRow) => isOpen(trigger) || others.has(trigger.id);
    const open = new Set(triggers.filter(isLeft).map(({ notification_id }) => notification_id));
    return {
      ids: locked.filter((id) => !open.has(id)),
      triggerIds: triggers.flatMap(({ id, notification_id }) => (open.has(notification_id) ? [] : id)),
    };
  }

  /** Those of these triggers that somebody else has locked, or attempts of theirs. Looked at only while some are known to be. */
  private async lockedAmong(triggerIds: string[]): Promise<Set<string>> {
    if (!this.isWary || triggerIds.length === 0) return new Set();
    const locked = new Set<string>();
    for (const [table, key] of LOCKABLE) {
      const select = `SELECT ${key} AS id FROM ${table} FORCE INDEX (PRIMARY) WHERE ${key} IN (?)`;
      const free = countById(await this.query(`${select} FOR UPDATE SKIP LOCKED`, [triggerIds]));
      const all = countById(await this.query(select, [triggerIds]));
      for (const [id, count] of all) if (free.get(id) !== count) locked.add(id);
    }
    return locked;
  }

  private async change(ids: string[], triggerIds: string[]): Promise<number> {
    const { what, now, batch } = this.removal;
    if (what === 'payload') {
      const changed = ids.length > 0 ? await this.query<Changed>(STRIP_NOTIFICATIONS, [now, ids]) : NONE;
      await this.list(STRIP_ATTEMPTS, triggerIds);
      return changed.affectedRows;
    }
    await this.list(DELETE_ATTEMPTS, triggerIds);
    const deleted = await this.list(REMOVE_LISTED, triggerIds);
    if (deleted < triggerIds.length) throw new TriggerChangedError('A trigger was made due again meanwhile.');
    return batch.isPart ? 0 : this.list(DELETE_NOTIFICATIONS, ids);
  }

  private async list(sql: string, ids: string[]): Promise<number> {
    return ids.length === 0 ? 0 : (await this.query<Changed>(sql, [ids])).affectedRows;
  }

  private async note({ task, instanceId, position }: Progress): Promise<void> {
    const sql = 'UPDATE webhook_task SET position = ? WHERE name = ? AND held_by = ?';
    const { affectedRows } = await this.query<Changed>(sql, [position, task, instanceId]);
    if (affectedRows === 0) throw new TaskLostError('Another instance takes care of retention now.');
  }
}

interface Changed {
  affectedRows: number;
}

const NONE: Changed = { affectedRows: 0 };

const isOpen = ({ status }: TriggerRow) => status === 'PENDING' || status === 'DELIVERING';

function countById(rows: { id: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
