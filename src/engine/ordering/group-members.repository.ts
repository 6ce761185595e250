import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { keysOf } from '../../store/sql.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { hasStatus } from '../ledger/transitions.js';
import { type OrderingRule, orderingRuleOf } from '../webhook/webhook-settings.js';
import { type GroupPosition, membersOf, positionOf } from './ordering-key.js';

interface MemberRow {
  trigger_id: string;
  ordering_key: string;
  position: string;
  topic: string | null;
}

interface StrangerRow {
  id: string;
  webhook_id: string;
  notification_id: string;
  event_kind: string;
  record_id: string | Buffer | null;
  settings: string | null;
}

interface StateRow {
  id: string;
  status: TriggerStatus | null;
  ordering_key: string | null;
}

const IS_UNDELIVERED = new Set<TriggerStatus | null>(['PENDING', 'DELIVERING']);

/** The marks of those that are left bring another look: only where nobody has looked for long are there so many. */
const SUPERSEDED_AT_ONCE = 5000;

/** Where triggers stand, or will stand if they are undelivered. */
export type Positions = Map<string, GroupPosition>;

/** Which triggers belong to which group. */
@Injectable()
export class GroupMembers {
  /** SQLite and MySQL might otherwise begin with all triggers of a status. */
  private readonly triggers: string;
  /** By topic, as a group may be very large. */
  private readonly membersByTopic: string;
  private readonly byTopic: string;
  private readonly thenJoin: string;
  private readonly lockedIfFree: string;
  private readonly stateSql: string;
  private readonly leaveSql: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {
    const { sql } = database;
    this.triggers = `webhook_trigger ${sql.byIndex('PRIMARY')}`;
    this.byTopic = sql.byIndex('webhook_group_member_topic');
    this.thenJoin = sql.thenJoin;
    this.membersByTopic = `webhook_group_member ${this.byTopic}`;
    this.lockedIfFree = sql.forUpdateOfFree;
    const ids = sql.jsonRows({ key_value: 'id' });
    this.stateSql = `SELECT j.key_value AS id, t.status, e.ordering_key FROM ${ids} AS j
      LEFT JOIN webhook_trigger AS t ON t.id = j.key_value LEFT JOIN webhook_group_member AS e ON e.trigger_id = j.key_value`;
    this.leaveSql = sql.deleteRows('webhook_group_member', { trigger_id: 'id' });
  }

  /** Where each trigger stands, or would stand. Those that belong to no group, as their webhook has changed, are left out. */
  async positions(manager: EntityManager, triggerIds: string[]): Promise<Positions> {
    const list = this.database.sql.idList(triggerIds);
    const found = await this.database.query<MemberRow[]>(
      `SELECT trigger_id, ordering_key, position, topic FROM webhook_group_member WHERE trigger_id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
    const positions: Positions = new Map(
      found.map(({ trigger_id, ordering_key, position, topic }) => [
        trigger_id,
        { orderingKey: ordering_key, position, topic },
      ]),
    );
    const strangers = triggerIds.filter((id) => !positions.has(id));
    for (const [id, position] of await this.positionsAnew(manager, strangers)) positions.set(id, position);
    return positions;
  }

  /**
   * Takes out what has ended, and puts in what is undelivered and belongs to no group yet. The groups of all positions are locked:
   * one who had read before that a trigger is undelivered would otherwise put it in after it was delivered, for ever.
   *
   * @returns triggers that are blocked but belong to no group any more: their webhook has changed.
   */
  async update(manager: EntityManager, triggerIds: string[], positions: Positions): Promise<string[]> {
    const rows = await this.database.query<StateRow[]>(this.stateSql, [keysOf(triggerIds)], manager);
    await this.leave(
      manager,
      rows.flatMap(({ id, status, ordering_key }) =>
        ordering_key !== null && !IS_UNDELIVERED.has(status) ? id : [],
      ),
    );
    const coming = rows.flatMap(({ id, status, ordering_key }) =>
      ordering_key === null && IS_UNDELIVERED.has(status) ? id : [],
    );
    const members = coming.flatMap((triggerId) => {
      const position = positions.get(triggerId);
      return position ? { triggerId, ...position } : [];
    });
    if (members.length > 0) await this.database.insertMany(manager, membersOf(members));
    return coming.filter((id) => !positions.has(id));
  }

  /** Cancels what waits while a newer trigger of its group has the same topic. */
  async supersede(manager: EntityManager, topics: string[], now: number): Promise<void> {
    if (topics.length === 0) return;
    const list = this.database.sql.idList(topics);
    const older = await this.database.query<{ id: string }[]>(
      `SELECT e.trigger_id AS id FROM (
         SELECT ordering_key, topic, MAX(position) AS position FROM ${this.membersByTopic} WHERE topic IN ${list.sql} GROUP BY ordering_key, topic
       ) AS newest ${this.thenJoin} webhook_group_member AS e ${this.byTopic}
         ON e.topic = newest.topic AND e.ordering_key = newest.ordering_key AND e.position < newest.position
       ORDER BY e.position LIMIT ${SUPERSEDED_AT_ONCE}`,
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
    const list = this.database.sql.idList(triggerIds);
    const rows = await this.database.query<{ id: string }[]>(
      `SELECT id FROM ${this.triggers} WHERE id IN ${list.sql}
         AND ${hasStatus(['PENDING'])} ${this.lockedIfFree}`,
      [list.parameter],
      manager,
    );
    return rows.map(({ id }) => id);
  }

  /** Where triggers would stand that stand nowhere yet. */
  private async positionsAnew(manager: EntityManager, triggerIds: string[]): Promise<Positions> {
    const positions: Positions = new Map();
    const stand = (row: StrangerRow, orderingRule: OrderingRule, body: Buffer | null) => {
      const { notification_id: id, event_kind: eventKind } = row;
      const recordId = row.record_id?.toString() ?? null;
      const position = positionOf(row.webhook_id, { id, eventKind, recordId, body }, orderingRule);
      if (position) positions.set(row.id, position);
    };
    for (const row of await this.strangers(manager, triggerIds)) {
      const orderingRule = orderingRuleOf(row.settings);
      // One by one: many bodies at once would fill the memory, and block the event loop while they are parsed.
      if (orderingRule)
        stand(row, orderingRule, isByBody(row, orderingRule) ? await this.body(manager, row) : null);
    }
    return positions;
  }

  private async strangers(manager: EntityManager, triggerIds: string[]): Promise<StrangerRow[]> {
    if (triggerIds.length === 0) return [];
    const list = this.database.sql.idList(triggerIds);
    return this.database.query(
      `SELECT t.id, t.webhook_id, t.notification_id, t.event_kind, n.record_id, w.settings
       FROM webhook_trigger AS t ${this.database.sql.byIndex('PRIMARY')}
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

const isByBody = ({ event_kind }: StrangerRow, { coalesce }: OrderingRule) =>
  coalesce && event_kind === 'ANALYSIS_FINISHED';
