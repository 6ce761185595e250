import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { indexHint } from '../../store/index-hint.js';
import { deleteRows, idList, jsonRows, keysOf } from '../../store/json-rows.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { hasStatus } from '../ledger/transitions.js';
import { type Lining, liningOf } from '../webhook/webhook-settings.js';
import { entriesOf, type LinePlace, lineOf } from './line.js';

interface EntryRow extends LinePlace {
  trigger_id: string;
}

interface StrangerRow {
  id: string;
  webhook_id: string;
  notification_id: string;
  event_kind: string;
  record_id: string | Buffer | null;
  settings: string | null;
}

interface StandingRow {
  id: string;
  status: TriggerStatus | null;
  line: string | null;
}

const IS_UNDELIVERED = new Set<TriggerStatus | null>(['PENDING', 'DELIVERING']);

/** The marks of those that are left bring another look: only where nobody has looked for long are there so many. */
const SUPERSEDED_AT_ONCE = 5000;

/** Where triggers stand, or will stand if they are undelivered. */
export type Places = Map<string, LinePlace>;

/** Who stands in which line. */
@Injectable()
export class LineMembers {
  /** SQLite and MySQL might otherwise begin with all triggers of a status. */
  private readonly triggers: string;
  /** By topic, as very many may stand in a line. */
  private readonly entries: string;
  private readonly byTopic: string;
  private readonly thenJoin: string;
  private readonly lockedIfFree: string;
  private readonly standingSql: string;
  private readonly leaveSql: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {
    const { dialect } = database;
    this.triggers = `webhook_trigger ${indexHint(dialect, 'PRIMARY')}`;
    this.byTopic = indexHint(dialect, 'webhook_line_entry_topic');
    this.thenJoin = dialect === 'sqlite' ? 'CROSS JOIN' : 'STRAIGHT_JOIN';
    this.entries = `webhook_line_entry ${this.byTopic}`;
    this.lockedIfFree = dialect === 'mysql' ? 'FOR UPDATE SKIP LOCKED' : '';
    const ids = jsonRows(dialect, { key_value: 'id' });
    this.standingSql = `SELECT j.key_value AS id, t.status, e.line FROM ${ids} AS j
      LEFT JOIN webhook_trigger AS t ON t.id = j.key_value LEFT JOIN webhook_line_entry AS e ON e.trigger_id = j.key_value`;
    this.leaveSql = deleteRows(dialect, 'webhook_line_entry', 'trigger_id', 'id');
  }

  /** Where each trigger stands, or would stand. Those that stand in no line, as their webhook has changed, are left out. */
  async places(manager: EntityManager, triggerIds: string[]): Promise<Places> {
    const list = idList(this.database.dialect, triggerIds);
    const entries = await this.database.query<EntryRow[]>(
      `SELECT trigger_id, line, place, topic FROM webhook_line_entry WHERE trigger_id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
    const places: Places = new Map(
      entries.map(({ trigger_id, line, place, topic }) => [trigger_id, { line, place, topic }]),
    );
    const strangers = triggerIds.filter((id) => !places.has(id));
    for (const [id, place] of await this.placesAnew(manager, strangers)) places.set(id, place);
    return places;
  }

  /**
   * Takes out what has ended, and puts in what is undelivered and stands in no line yet. The lines of all places are locked: one
   * who had read before that a trigger is undelivered would otherwise put it in after it was delivered, for ever.
   *
   * @returns triggers that wait for a turn but stand in no line any more: their webhook has changed.
   */
  async update(manager: EntityManager, triggerIds: string[], places: Places): Promise<string[]> {
    const rows = await this.database.query<StandingRow[]>(this.standingSql, [keysOf(triggerIds)], manager);
    await this.leave(
      manager,
      rows.flatMap(({ id, status, line }) => (line !== null && !IS_UNDELIVERED.has(status) ? id : [])),
    );
    const coming = rows.flatMap(({ id, status, line }) =>
      line === null && IS_UNDELIVERED.has(status) ? id : [],
    );
    const entries = coming.flatMap((triggerId) => {
      const place = places.get(triggerId);
      return place ? { triggerId, ...place } : [];
    });
    if (entries.length > 0) await this.database.insertMany(manager, entriesOf(entries));
    return coming.filter((id) => !places.has(id));
  }

  /** Cancels what waits while a newer trigger with the same topic stands in its line. */
  async supersede(manager: EntityManager, topics: string[], now: number): Promise<void> {
    if (topics.length === 0) return;
    const list = idList(this.database.dialect, topics);
    const older = await this.database.query<{ id: string }[]>(
      `SELECT e.trigger_id AS id FROM (
         SELECT line, topic, MAX(place) AS place FROM ${this.entries} WHERE topic IN ${list.sql} GROUP BY line, topic
       ) AS newest ${this.thenJoin} webhook_line_entry AS e ${this.byTopic}
         ON e.topic = newest.topic AND e.line = newest.line AND e.place < newest.place
       ORDER BY e.place LIMIT ${SUPERSEDED_AT_ONCE}`,
      [list.parameter],
      manager,
    );
    // One that is being sent is looked at again when it has failed.
    const waiting = await this.lockPending(
      manager,
      older.map(({ id }) => id),
    );
    if (waiting.length === 0) return;
    await this.ledger.apply(manager, 'supersede', { ids: waiting }, now);
    await this.leave(manager, waiting);
  }

  /** Those of these triggers that wait, locked; those that somebody else has locked are left out. */
  async lockPending(manager: EntityManager, triggerIds: string[]): Promise<string[]> {
    if (triggerIds.length === 0) return [];
    const list = idList(this.database.dialect, triggerIds);
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM ${this.triggers} WHERE id IN ${list.sql}
         AND ${hasStatus(['PENDING'])} ${this.lockedIfFree}`,
      [list.parameter],
      manager,
    );
    return rows.map(({ id }) => id);
  }

  /** Where triggers would stand that stand nowhere yet. */
  private async placesAnew(manager: EntityManager, triggerIds: string[]): Promise<Places> {
    const places: Places = new Map();
    const stand = (row: StrangerRow, lining: Lining, body: Buffer | null) => {
      const { notification_id: id, event_kind: eventKind } = row;
      const recordId = row.record_id?.toString() ?? null;
      const place = lineOf(row.webhook_id, { id, eventKind, recordId, body }, lining);
      if (place) places.set(row.id, place);
    };
    for (const row of await this.strangers(manager, triggerIds)) {
      const lining = liningOf(row.settings);
      // One by one: many bodies at once would fill the memory, and block the event loop while they are parsed.
      if (lining) stand(row, lining, isByBody(row, lining) ? await this.body(manager, row) : null);
    }
    return places;
  }

  private async strangers(manager: EntityManager, triggerIds: string[]): Promise<StrangerRow[]> {
    if (triggerIds.length === 0) return [];
    const list = idList(this.database.dialect, triggerIds);
    return this.database.query(
      `SELECT t.id, t.webhook_id, t.notification_id, t.event_kind, n.record_id, w.settings
       FROM webhook_trigger AS t ${indexHint(this.database.dialect, 'PRIMARY')}
       JOIN webhook_notification AS n ON n.id = t.notification_id JOIN webhook AS w ON w.id = t.webhook_id
       WHERE t.id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
  }

  private async body(manager: EntityManager, row: StrangerRow): Promise<Buffer | null> {
    // The column itself: an expression of it is no Buffer on SQLite.
    const [found] = await this.database.query<{ body: Buffer }[]>(
      'SELECT body FROM webhook_notification WHERE id = ?',
      [row.notification_id],
      manager,
    );
    return found?.body ?? null;
  }

  private async leave(manager: EntityManager, triggerIds: string[]): Promise<void> {
    if (triggerIds.length > 0) await this.database.query(this.leaveSql, [keysOf(triggerIds)], manager);
  }
}

const isByBody = ({ event_kind }: StrangerRow, { coalesce }: Lining) =>
  coalesce && event_kind === 'ANALYSIS_FINISHED';
