import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isDuplicate } from '../common/database-error.js';
import { failpoint } from '../common/failpoint.js';
import { Database } from '../database/database.js';
import { type JsonRowType, materialisedRows, updateFromRows } from '../database/json-rows.js';
import { addCounts, countsFrom, storedCounts } from './counts.js';
import { entriesFrom } from './delta.js';
import type { StatisticEntity } from './statistic.entity.js';
import type { StatisticDeltaEntity } from './statistic-delta.entity.js';
import { nameOf, type RowKey, type RowSum, RowSums } from './sums.js';

/** How many deltas a transaction adds at most. */
const MAX_DELTAS = 200;
/** No further delta is added once they hold this many webhooks, kinds and minutes, so that a transaction stays short. */
const ENOUGH = 100;

const KEY: Record<string, JsonRowType> = {
  user_id: 'user',
  webhook_id: 'id',
  event_kind: 'word',
  step: 'word',
  begin_at: 'integer',
};
const KEY_COLUMNS = Object.keys(KEY);
const COLUMNS: Record<string, JsonRowType> = { ...KEY, counts: 'text' };

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

const UPDATE_ROWS = updateFromRows('mysql', 'webhook_statistic', COLUMNS, { counts: 'j.counts' }, ON_KEY);

interface FoundRow extends Omit<StatisticEntity, 'beginAt'> {
  beginAt: number | string;
}

/** Some deltas, and what they add up to. */
interface Gathered {
  ids: string[];
  sums: RowSum[];
}

/** Adds what settlements have counted to the statistics. */
@Injectable()
export class StatisticDeltaRepository {
  constructor(private readonly database: Database) {}

  /**
   * Adds some deltas and deletes them, in one transaction: each counts exactly once, wherever the process dies and even if
   * two do it at once.
   *
   * @returns whether there may be more.
   */
  async addSome(): Promise<boolean> {
    if (this.database.dialect === 'sqlite') return this.addHere();
    try {
      const mayBeMore = await this.database.transaction((manager) => this.addLocked(manager));
      failpoint('count-committed');
      return mayBeMore;
    } catch (error) {
      // Another instance has made one of the rows meanwhile: it is there the next time.
      if (isDuplicate(error)) return true;
      throw error;
    }
  }

  /** On SQLite all is read before the transaction, since nobody else changes these rows. */
  private async addHere(): Promise<boolean> {
    const deltas = await this.deltas();
    if (deltas.length === 0) return false;
    const { ids, sums } = gathered(deltas);
    const rows = await this.rows(sums);
    await this.database.script([
      // A delta that is gone has been added already: then nothing of this counts.
      { sql: DELETE_ONE, rows: ids.map((id) => [id]), mustChange: true },
      { sql: PUT_ONE, rows: sums.map((sum) => rowOf(sum, rows)) },
      'count-written',
    ]);
    failpoint('count-committed');
    return ids.length < deltas.length || deltas.length === MAX_DELTAS;
  }

  private async addLocked(manager: EntityManager): Promise<boolean> {
    const deltas = await this.deltas(manager);
    if (deltas.length === 0) return false;
    const { ids, sums } = gathered(deltas);
    const rows = await this.rows(sums, manager);
    const changed = sums.filter(({ key }) => rows.has(nameOf(key))).map((sum) => rowOf(sum, rows));
    const added = sums.filter(({ key }) => !rows.has(nameOf(key))).map((sum) => rowOf(sum, rows));
    if (changed.length > 0) await this.database.query(UPDATE_ROWS, [JSON.stringify(changed)], manager);
    await this.database.insertMany(manager, {
      table: 'webhook_statistic',
      columns: Object.keys(COLUMNS),
      rows: added,
    });
    await this.database.query('DELETE FROM webhook_statistic_delta WHERE id IN (?)', [ids], manager);
    failpoint('count-written');
    return ids.length < deltas.length || deltas.length === MAX_DELTAS;
  }

  /** @param manager of a transaction that locks them. */
  private deltas(manager?: EntityManager): Promise<StatisticDeltaEntity[]> {
    const lock = manager ? ' FOR UPDATE SKIP LOCKED' : '';
    return this.database.query(
      `SELECT id, counts FROM webhook_statistic_delta ORDER BY id LIMIT ${MAX_DELTAS}${lock}`,
      [],
      manager,
    );
  }

  /** The stored rows among these, by name. @param manager of a transaction that locks them. */
  private async rows(sums: RowSum[], manager?: EntityManager): Promise<Map<string, string>> {
    const { dialect } = this.database;
    const join = dialect === 'sqlite' ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
    const found = await this.database.query<FoundRow[]>(
      `SELECT t.user_id AS userId, t.webhook_id AS webhookId, t.event_kind AS eventKind, t.step, t.begin_at AS beginAt, t.counts
       FROM ${materialisedRows(dialect, KEY)} AS j ${join} webhook_statistic AS t ON ${ON_KEY}${manager ? ' FOR UPDATE' : ''}`,
      [JSON.stringify(sums.map(({ key }) => toKey(key)))],
      manager,
    );
    return new Map(found.map((row) => [nameOf({ ...row, beginAt: Number(row.beginAt) }), row.counts]));
  }
}

function gathered(deltas: StatisticDeltaEntity[]): Gathered {
  const sums = new RowSums();
  const ids: string[] = [];
  for (const { id, counts } of deltas) {
    for (const entry of entriesFrom(counts)) sums.add(entry);
    ids.push(id);
    if (sums.size >= ENOUGH) break;
  }
  return { ids, sums: sums.all() };
}

/** The row with the sum added, to be stored. */
function rowOf({ key, counts }: RowSum, rows: Map<string, string>): unknown[] {
  const before = rows.get(nameOf(key));
  if (before !== undefined) addCounts(counts, countsFrom(JSON.parse(before)));
  return [...toKey(key), JSON.stringify(storedCounts(counts))];
}
