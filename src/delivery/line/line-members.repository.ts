import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database.js';
import { indexHint } from '../../database/index-hint.js';
import { deleteRows, idList, keysOf } from '../../database/json-rows.js';
import { liningOf } from '../../webhook/settings/webhook-settings.js';
import { entriesOf, type LineEntry, lineOf } from './line.js';

interface OpenRow {
  id: string;
  webhook_id: string;
  notification_id: string;
  event_kind: string;
  record_id: string | Buffer | null;
  settings: string | null;
  body: Buffer | null;
}

/** Lines after a change of what stands in them. */
interface ChangedLines {
  /** Those in which a trigger has ended, or taken its place. */
  lines: string[];
  /** Triggers that wait for a turn but stand in no line any more: their webhook has changed. */
  freed: string[];
}

/** Who stands in which line. */
@Injectable()
export class LineMembers {
  /** SQLite and MySQL might otherwise begin with all triggers of a status. */
  private readonly triggers: string;
  private readonly lockedIfFree: string;
  private readonly leaveSql: string;

  constructor(private readonly database: Database) {
    this.triggers = `webhook_trigger ${indexHint(database.dialect, 'PRIMARY')}`;
    this.lockedIfFree = database.dialect === 'mysql' ? 'FOR UPDATE SKIP LOCKED' : '';
    this.leaveSql = deleteRows(database.dialect, 'webhook_line_entry', 'trigger_id', 'id');
  }

  /** Takes out what has ended, and puts in what is undelivered and stands in no line yet. */
  async update(manager: EntityManager, triggerIds: string[]): Promise<ChangedLines> {
    const open = await this.open(manager, triggerIds);
    const entries = await this.entries(manager, triggerIds);
    const ended = entries.filter(({ trigger_id }) => !open.has(trigger_id));
    await this.leave(
      manager,
      ended.map(({ trigger_id }) => trigger_id),
    );
    const inLine = new Set(entries.map(({ trigger_id }) => trigger_id));
    const coming = [...open].filter((id) => !inLine.has(id));
    const joined = await this.join(manager, coming);
    const lines = new Set([...entries, ...joined].map(({ line }) => line));
    const found = new Set(joined.map(({ triggerId }) => triggerId));
    return { lines: [...lines], freed: coming.filter((id) => !found.has(id)) };
  }

  /** Cancels what waits while a newer trigger with the same topic stands in the line. */
  async supersede(manager: EntityManager, lines: string[], now: number): Promise<void> {
    if (lines.length === 0) return;
    const list = idList(this.database.dialect, lines);
    const older = await this.database.query<{ id: string }[]>(
      `SELECT e.trigger_id AS id FROM webhook_line_entry AS e WHERE e.line IN ${list.sql} AND e.topic IS NOT NULL AND EXISTS (
         SELECT 1 FROM webhook_line_entry AS newer
         WHERE newer.line = e.line AND newer.topic = e.topic AND newer.place > e.place)`,
      [list.parameter],
      manager,
    );
    // One that is being sent is looked at again when it has failed.
    const waiting = await this.lockPending(
      manager,
      older.map(({ id }) => id),
    );
    if (waiting.length === 0) return;
    const ids = idList(this.database.dialect, waiting);
    await this.database.query(
      `UPDATE ${this.triggers} SET status = 'CANCELLED', cancelled_for = 'superseded', end_at = ?, next_attempt_at = 0,
         lease = lease + 1 WHERE id IN ${ids.sql}`,
      [now, ids.parameter],
      manager,
    );
    await this.leave(manager, waiting);
  }

  /** Those of these triggers that wait, locked; those that somebody else has locked are left out. */
  async lockPending(manager: EntityManager, triggerIds: string[]): Promise<string[]> {
    if (triggerIds.length === 0) return [];
    const list = idList(this.database.dialect, triggerIds);
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM ${this.triggers} WHERE id IN ${list.sql}
         AND status NOT IN ('DELIVERING', 'SUCCEEDED', 'FAILED', 'CANCELLED') ${this.lockedIfFree}`,
      [list.parameter],
      manager,
    );
    return rows.map(({ id }) => id);
  }

  private async open(manager: EntityManager, triggerIds: string[]): Promise<Set<string>> {
    const list = idList(this.database.dialect, triggerIds);
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM ${this.triggers} WHERE id IN ${list.sql} AND status NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED')`,
      [list.parameter],
      manager,
    );
    return new Set(rows.map(({ id }) => id));
  }

  private entries(manager: EntityManager, triggerIds: string[]) {
    const list = idList(this.database.dialect, triggerIds);
    return this.database.query<{ trigger_id: string; line: string }[]>(
      `SELECT trigger_id, line FROM webhook_line_entry WHERE trigger_id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
  }

  private async leave(manager: EntityManager, triggerIds: string[]): Promise<void> {
    if (triggerIds.length > 0) await this.database.query(this.leaveSql, [keysOf(triggerIds)], manager);
  }

  /** Puts in triggers that were delivered, failed or cancelled and are to be sent again, or have only now been made. */
  private async join(manager: EntityManager, triggerIds: string[]): Promise<LineEntry[]> {
    if (triggerIds.length === 0) return [];
    const list = idList(this.database.dialect, triggerIds);
    const rows = await this.database.query<OpenRow[]>(
      `SELECT t.id, t.webhook_id, t.notification_id, t.event_kind, n.record_id, w.settings,
         CASE WHEN t.event_kind = 'ANALYSIS_FINISHED' AND w.settings LIKE '%coalesce%' THEN n.body END AS body
       FROM webhook_trigger AS t ${indexHint(this.database.dialect, 'PRIMARY')}
       JOIN webhook_notification AS n ON n.id = t.notification_id JOIN webhook AS w ON w.id = t.webhook_id
       WHERE t.id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
    const entries = rows.flatMap(entryOf);
    await this.database.insertMany(manager, entriesOf(entries));
    return entries;
  }
}

function entryOf(row: OpenRow): LineEntry[] {
  const lining = liningOf(row.settings);
  const recordId = row.record_id?.toString() ?? null;
  const notification = { id: row.notification_id, eventKind: row.event_kind, recordId, body: row.body };
  const place = lining && lineOf(row.webhook_id, notification, lining);
  return place ? [{ triggerId: row.id, ...place }] : [];
}
