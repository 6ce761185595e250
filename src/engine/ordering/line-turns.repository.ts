import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { indexHint } from '../../store/index-hint.js';
import { deleteRows, idList, jsonRows, keysOf, updateFromRows } from '../../store/json-rows.js';
import type { AttemptCause, TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { HELD } from '../ledger/held.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { LineMembers } from './line-members.repository.js';
import { type Handover, handoverOf, type LineStanding } from './turn.js';

/** A trigger whose turn it is now. */
export interface LineTurn {
  triggerId: string;
  /** Of its next attempt. */
  cause: AttemptCause;
  /** Whether it has not been tried since its schedule began. */
  isFresh: boolean;
}

interface StandingRow {
  line: string;
  first_id: string | null;
  holder_id: string;
  holder_status: TriggerStatus | null;
  holder_due: number | string | null;
}

/** Stands for nobody. */
const NOBODY = '';

/** Whose turn it is in each line. Its row is locked by whoever looks at the line, so nobody gives a turn twice. */
@Injectable()
export class LineTurns {
  private readonly byKey: string;
  private readonly triggers: string;
  /** In their order, so that the first of a line is found without reading the others. */
  private readonly entries: string;
  private readonly lockSql: string;
  private readonly passSql: string;
  private readonly endSql: string;

  constructor(
    private readonly database: Database,
    private readonly members: LineMembers,
    private readonly ledger: Ledger,
  ) {
    const { dialect } = database;
    const mysql = dialect === 'mysql';
    this.byKey = indexHint(dialect, 'PRIMARY');
    this.triggers = `webhook_trigger ${this.byKey}`;
    this.entries = `webhook_line_entry ${indexHint(dialect, 'webhook_line_entry_place')}`;
    const lines = jsonRows(dialect, { key_value: 'word' });
    this.lockSql = `INSERT INTO webhook_line_turn (line, trigger_id) SELECT j.key_value, '${NOBODY}' FROM ${lines} AS j WHERE 1 = 1
      ${mysql ? 'ON DUPLICATE KEY UPDATE looks = (looks + 1) % 1000000' : 'ON CONFLICT DO NOTHING'}`;
    this.passSql = updateFromRows(
      dialect,
      'webhook_line_turn',
      { line: 'word', to_id: 'id' },
      { trigger_id: 'j.to_id' },
      't.line = j.line',
    );
    this.endSql = deleteRows(dialect, 'webhook_line_turn', 'line', 'word');
  }

  /**
   * Locks lines. Everybody locks them in the same order, before anything of them is read: one who sees the turn with a trigger
   * that has not ended yet, and one who ends it without seeing a trigger that has just come, would each leave that trigger to
   * the other.
   *
   * A row is written, and not only locked: on the nodes of a Galera cluster, which know nothing of each other's locks, the second
   * of two transactions that write it then fails when it commits, and runs again. SQLite runs one transaction at a time anyway.
   */
  async lock(manager: EntityManager, lines: string[]): Promise<void> {
    if (lines.length > 0) await this.database.query(this.lockSql, [keysOf([...lines].sort())], manager);
  }

  /**
   * Gives the turn of each line, all of which are locked, to its first trigger, if need be by taking it from another one that waits.
   *
   * @returns those that have the turn and may not be due yet.
   */
  async give(manager: EntityManager, lines: string[]): Promise<string[]> {
    if (lines.length === 0) return [];
    const standings = await this.standings(manager, lines);
    const awake = standings.flatMap(({ holder }) => (holder?.state === 'held' ? holder.triggerId : []));
    const wanted = standings.flatMap((standing) => handoverOf(standing) ?? []);
    const taken = wanted.flatMap(({ takenFrom }) => takenFrom ?? []);
    const held = new Set(await this.hold(manager, taken));
    const given = wanted.filter(({ takenFrom }) => takenFrom === null || held.has(takenFrom));
    await this.pass(manager, given);
    return [...given.flatMap(({ to }) => to ?? []), ...awake.filter((id) => !held.has(id))];
  }

  /** Makes due those of these triggers that wait for a turn. @returns those. */
  async makeDue(manager: EntityManager, triggerIds: string[], now: number): Promise<LineTurn[]> {
    if (triggerIds.length === 0) return [];
    const list = idList(this.database.dialect, triggerIds);
    const isWaiting = `status NOT IN ('DELIVERING', 'SUCCEEDED', 'FAILED', 'CANCELLED') AND next_attempt_at = ${HELD}`;
    const rows = await this.database.query<
      { id: string; cause: AttemptCause; attempt_count: number; schedule_offset: number }[]
    >(
      `SELECT id, cause, attempt_count, schedule_offset FROM ${this.triggers} WHERE id IN ${list.sql} AND ${isWaiting}`,
      [list.parameter],
      manager,
    );
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    await this.ledger.apply(manager, 'unblock', { ids }, now);
    return rows.map((row) => ({
      triggerId: row.id,
      cause: row.cause,
      isFresh: row.attempt_count === row.schedule_offset,
    }));
  }

  /** The first of each line, and the one whose turn it is. A locked line has a row. */
  private async standings(manager: EntityManager, lines: string[]): Promise<LineStanding[]> {
    const list = idList(this.database.dialect, lines);
    const rows = await this.database.query<StandingRow[]>(
      `SELECT turn.line, (SELECT trigger_id FROM ${this.entries} WHERE line = turn.line ORDER BY place LIMIT 1) AS first_id,
         turn.trigger_id AS holder_id, t.status AS holder_status, t.next_attempt_at AS holder_due
       FROM webhook_line_turn AS turn LEFT JOIN webhook_trigger AS t ON t.id = turn.trigger_id
       WHERE turn.line IN ${list.sql} ORDER BY turn.line`,
      [list.parameter],
      manager,
    );
    return rows.map(({ line, first_id, ...row }) => ({ line, first: first_id, holder: holderOf(row) }));
  }

  /** @returns those that wait. A claim that is under way finds that they are not due any more. */
  private async hold(manager: EntityManager, triggerIds: string[]): Promise<string[]> {
    const waiting = await this.members.lockPending(manager, triggerIds);
    if (waiting.length === 0) return [];
    const list = idList(this.database.dialect, waiting);
    // One that waits for its next attempt goes on waiting for it when the turn is its own again.
    await this.database.query(
      `UPDATE webhook_line_entry ${this.byKey} SET due_at = (
         SELECT CASE WHEN next_attempt_at < ${HELD} THEN next_attempt_at ELSE 0 END FROM webhook_trigger WHERE id = trigger_id)
       WHERE trigger_id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
    await this.ledger.apply(manager, 'block', { ids: waiting }, HELD);
    return waiting;
  }

  /** A line in which nothing stands keeps no row. */
  private async pass(manager: EntityManager, handovers: Handover[]): Promise<void> {
    const passed = handovers.flatMap(({ line, to }) => (to === null ? [] : [[line, to]]));
    if (passed.length > 0) await this.database.query(this.passSql, [JSON.stringify(passed)], manager);
    const ended = handovers.flatMap(({ line, to }) => (to === null ? line : []));
    if (ended.length > 0) await this.database.query(this.endSql, [keysOf(ended)], manager);
  }
}

function holderOf({ holder_id, holder_status, holder_due }: Omit<StandingRow, 'line' | 'first_id'>) {
  if (holder_id === NOBODY) return null;
  const isHeld = Number(holder_due) === HELD;
  const state =
    holder_status === 'PENDING'
      ? isHeld
        ? 'held'
        : 'due'
      : holder_status === 'DELIVERING'
        ? 'sending'
        : 'ended';
  return { triggerId: holder_id, state } as const;
}
