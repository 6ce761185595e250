import { Injectable } from '@nestjs/common';
import { firstIdOf } from '../platform/ids/first-id.js';
import { Database } from '../store/database.js';
import type { Statement } from '../store/insert.js';

const AT_ONCE = 200;

/** What is left when notifications and their triggers are gone. */
@Injectable()
export class LeftoverRepository {
  private readonly insertIgnore: string;

  constructor(private readonly database: Database) {
    this.insertIgnore = database.sql.insertIgnore;
  }

  /**
   * Looks at some triggers with ids after one and before another, and notes the notifications that they name and that do
   * not exist: those triggers go, too.
   *
   * @returns the last trigger that it examined; null if there was none.
   */
  async noteWithoutNotification(after: string, before: string, limit: number): Promise<string | null> {
    const triggers = await this.database.query<{ id: string; notification_id: string }[]>(
      `SELECT id, notification_id FROM webhook_trigger WHERE id > ? AND id < ? ORDER BY id LIMIT ?`,
      [after, before, limit],
    );
    const named = [...new Set(triggers.map(({ notification_id }) => notification_id))];
    if (named.length === 0) return null;
    const ids = this.database.sql.idList(named);
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_notification WHERE id IN ${ids.sql}`,
      [ids.parameter],
    );
    const existing = new Set(rows.map(({ id }) => id));
    const missing = named.filter((id) => !existing.has(id));
    if (missing.length > 0) {
      const { sql, parameters } = this.passOver(missing);
      await this.database.query(sql, parameters);
    }
    return triggers.at(-1)?.id ?? null;
  }

  /** Notes notifications, at least one, that cannot go yet: these are examined again. */
  passOver(ids: string[]): Statement {
    const rows = ids.map(() => '(?)').join(', ');
    return { sql: `${this.insertIgnore} webhook_overdue (id) VALUES ${rows}`, parameters: ids };
  }

  /** Deletes some recoveries that ended before a time. @returns how many. */
  async deleteRecoveries(before: number): Promise<number> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_recovery WHERE id < ? AND state <> 'RUNNING' AND end_at < ? ORDER BY id LIMIT ${AT_ONCE}`,
      [firstIdOf(before), before],
    );
    // One that has ended never runs again.
    return this.deleteEach('webhook_recovery', rows);
  }

  /** Deletes some decision sets that were last stored before a time. @returns how many. */
  async deleteDecisionSets(before: number): Promise<number> {
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM webhook_decision_set WHERE stored_at < ? ORDER BY stored_at LIMIT ${AT_ONCE}`,
      [before],
    );
    return this.deleteEach('webhook_decision_set', rows, 'AND stored_at < ?', [before]);
  }

  /** The first notification after an id; undefined if there is none. */
  after(id: string): Promise<string | undefined> {
    return this.first('webhook_notification', id);
  }

  /** The first notification that was passed over; undefined if there is none. */
  firstPassedOver(): Promise<string | undefined> {
    return this.first('webhook_overdue', '');
  }

  /** How far retention has come, by task. */
  async positions(): Promise<Map<string, string>> {
    const rows = await this.database.query<{ name: string; position: string }[]>(
      `SELECT name, position FROM webhook_task WHERE name LIKE 'retention%'`,
    );
    return new Map(rows.map(({ name, position }) => [name, position]));
  }

  /** Whether attempts are being made, and whether a trigger has been due since a time. */
  async load(since: number): Promise<{ isSending: boolean; isLate: boolean }> {
    const [row] = await this.database.query<{ sending: number | string; late: number | string }[]>(
      `SELECT EXISTS (SELECT 1 FROM webhook_trigger WHERE status = 'DELIVERING') AS sending,
         EXISTS (SELECT 1 FROM webhook_trigger WHERE status = 'PENDING' AND next_attempt_at BETWEEN -(?) AND ?) AS late`,
      [since, since],
    );
    return { isSending: Number(row?.sending) === 1, isLate: Number(row?.late) === 1 };
  }

  private async first(table: string, after: string): Promise<string | undefined> {
    const sql = `SELECT id FROM ${table} WHERE id > ? ORDER BY id LIMIT 1`;
    const [row] = await this.database.query<{ id: string }[]>(sql, [after]);
    return row?.id;
  }

  private async deleteEach(
    table: string,
    rows: { id: string }[],
    unless = '',
    parameters: unknown[] = [],
  ): Promise<number> {
    if (rows.length === 0) return 0;
    const ids = this.database.sql.idList(rows.map(({ id }) => id));
    await this.database.query(`DELETE FROM ${table} WHERE id IN ${ids.sql} ${unless}`, [
      ids.parameter,
      ...parameters,
    ]);
    return rows.length;
  }
}
