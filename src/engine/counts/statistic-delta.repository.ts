import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isDuplicate } from '../../platform/database-error.js';
import { type Failpoint, failpoint } from '../../platform/failpoint.js';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import { insertStep } from '../../store/insert.js';
import { LockedRows } from '../../store/locked-rows.js';
import type { RowColumns } from '../../store/sql.js';
import { ROW_UNCHANGED, type ScriptStep } from '../../store/sqlite/sqlite-session.js';
import type { StatisticEntity } from '../../store/tables/statistic.entity.js';
import type { StatisticDeltaEntity } from '../../store/tables/statistic-delta.entity.js';
import { addCounts, noCounts, rowCounts, storedCounts } from './counts.js';
import { insertOf } from './delta.js';
import { KEY, KEY_COLUMNS, nameOf, type RowKey, type RowSum } from './sums.js';

const COLUMNS: RowColumns = { ...KEY, counts: 'text' };

const ON_KEY = KEY_COLUMNS.map((name) => `t.${name} = j.${name}`).join(' AND ');

const toKey = ({ userId, webhookId, eventKind, step, beginAt }: RowKey) => [
  userId,
  webhookId,
  eventKind,
  step,
  beginAt,
];

const PUT_ONE = `INSERT INTO webhook_statistic (${Object.keys(COLUMNS).join(', ')}) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (${KEY_COLUMNS.join(', ')}) DO UPDATE SET counts = excluded.counts`;

const DELETE_ONE = 'DELETE FROM webhook_statistic_delta WHERE id = ?';

/** A delta is gone: it has been added, or replaced. Then nothing of the transaction counts. */
const GONE = Object.assign(new Error('A delta is gone.'), { code: ROW_UNCHANGED });

interface FoundRow extends Omit<StatisticEntity, 'beginAt'> {
  beginAt: number | string;
}

/** What settlements have counted, on its way into the statistics. */
@Injectable()
export class StatisticDeltaRepository {
  private readonly locked: LockedRows;
  private readonly updateSql: string;

  constructor(private readonly database: Database) {
    this.locked = new LockedRows(database, 'webhook_statistic_delta');
    this.updateSql = database.sql.updateFromRows(
      'webhook_statistic',
      COLUMNS,
      { counts: 'j.counts' },
      ON_KEY,
    );
  }

  /** The oldest deltas behind this id. */
  find(after: string, limit: number): Promise<StatisticDeltaEntity[]> {
    return this.database.query(
      `SELECT id, counts FROM webhook_statistic_delta WHERE id > ? ORDER BY id LIMIT ${limit}`,
      [after],
    );
  }

  /** Replaces deltas by others that add up to the same. @returns false if nothing was done, as one of them is gone. */
  replace(ids: string[], by: StatisticDeltaEntity[]): Promise<boolean> {
    return this.take(ids, {
      here: async () => [insertStep(insertOf(by))],
      locked: (manager) => this.database.insertMany(manager, insertOf(by)),
    });
  }

  /**
   * Adds deltas to the sums, and deletes them: each counts exactly once, wherever the process dies and even if two do it at
   * once.
   *
   * @param sums what they add up to.
   * @returns false if nothing was done, as another instance has added one of them, or made a row that this would insert.
   * @throws LockedRowsError if somebody has locked some of the deltas
   */
  async add(ids: string[], sums: RowSum[]): Promise<boolean> {
    const added = await this.take(ids, {
      // All is read before the transaction, since nobody else changes these rows.
      here: async () => [{ sql: PUT_ONE, rows: summed(sums, await this.rows(sums)) }, 'count-written'],
      locked: (manager) => this.addLocked(manager, sums),
    });
    failpoint('count-committed');
    return added;
  }

  /** Deletes deltas, and does in the same transaction what takes their place, only if all of them were there. */
  private async take(ids: string[], instead: Instead): Promise<boolean> {
    try {
      if (this.database.runsScripts) {
        const rows = ids.map((id) => [id]);
        await this.database.script([{ sql: DELETE_ONE, rows, mustChange: true }, ...(await instead.here())]);
      } else {
        const take = async (manager: EntityManager) => {
          await this.deleteAll(manager, ids);
          await instead.locked(manager);
        };
        await this.locked.guard(
          () => ids,
          () => this.database.transaction(take),
        );
      }
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === ROW_UNCHANGED || isDuplicate(error)) return false;
      throw error;
    }
  }

  private async deleteAll(manager: EntityManager, ids: string[]): Promise<void> {
    const { affectedRows } = await this.database.query<{ affectedRows: number }>(
      'DELETE t FROM webhook_statistic_delta AS t FORCE INDEX (PRIMARY) WHERE t.id IN (?)',
      [ids],
      manager,
    );
    if (affectedRows !== ids.length) throw GONE;
  }

  private async addLocked(manager: EntityManager, sums: RowSum[]): Promise<void> {
    const before = await this.rows(sums, manager);
    const isThere = ({ key }: RowSum) => before.has(nameOf(key));
    const changed = summed(sums.filter(isThere), before);
    if (changed.length > 0) await this.database.query(this.updateSql, [writeJson(changed)], manager);
    await this.database.insertMany(manager, {
      table: 'webhook_statistic',
      columns: Object.keys(COLUMNS),
      rows: summed(
        sums.filter((sum) => !isThere(sum)),
        before,
      ),
    });
    failpoint('count-written');
  }

  /** The stored rows among these, by name. @param manager of a transaction that locks them. */
  private async rows(sums: RowSum[], manager?: EntityManager): Promise<Map<string, string>> {
    const { sql } = this.database;
    const found = await this.database.query<FoundRow[]>(
      `SELECT t.user_id AS userId, t.webhook_id AS webhookId, t.event_kind AS eventKind, t.step, t.begin_at AS beginAt, t.counts
       FROM ${sql.materialisedRows(KEY)} AS j ${sql.thenJoin} webhook_statistic AS t ON ${ON_KEY}${manager ? ` ${sql.forUpdate}` : ''}`,
      [writeJson(sums.map(({ key }) => toKey(key)))],
      manager,
    );
    return new Map(found.map((row) => [nameOf({ ...row, beginAt: Number(row.beginAt) }), row.counts]));
  }
}

/** What takes the place of deltas, on SQLite and elsewhere. */
interface Instead {
  here(): Promise<(ScriptStep | Failpoint)[]>;
  locked(manager: EntityManager): Promise<void>;
}

/** The rows to store: what was there before, and the sums. Leaves the sums as they are, for another try. */
const summed = (sums: RowSum[], before: Map<string, string>): unknown[][] =>
  sums.map(({ key, counts }) => {
    const name = nameOf(key);
    const text = before.get(name);
    const sum = (text !== undefined && rowCounts(text, name)) || noCounts();
    addCounts(sum, counts);
    return [...toKey(key), writeJson(storedCounts(sum))];
  });
