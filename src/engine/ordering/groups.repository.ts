import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { writeJson } from '../../platform/json/write-json.js';
import { Database } from '../../store/database.js';
import { keysOf } from '../../store/sql.js';
import type { TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { NEVER_DUE } from '../ledger/never-due.js';
import { canMake, hasStatus, IS_ASKED_FOR, TRANSITIONS } from '../ledger/transitions.js';
import type { Positions } from './group-positions.repository.js';
import { membersOf } from './ordering-key.js';

/** A trigger that has become the head of its group, or belongs to none any more, and is due. */
export interface NewHead {
  id: string;
  /** 1 if somebody asked for it, and it has not been tried since: it goes before all others. */
  is_urgent: number;
}

interface StateRow {
  id: string;
  status: TriggerStatus | null;
  ordering_key: string | null;
}

interface GroupRow {
  ordering_key: string;
  /** The trigger with the lowest position; null if the group is empty. */
  first_id: string | null;
  /** The one trigger of the group that may be sent; {@link NOBODY} if there is none. */
  head_id: string;
  /** Null, as its time, if there is none or it is gone. */
  head_status: TriggerStatus | null;
  head_due: number | string | null;
}

const NOBODY = '';
const UNDELIVERED = new Set<TriggerStatus | null>(['PENDING', 'DELIVERING']);

/** The rest is superseded in the next round; there is a rest only after a long backlog. */
const SUPERSEDED_AT_ONCE = 5000;

/** Who belongs to each group, and its head. */
@Injectable()
export class Groups {
  /** SQLite and MySQL might otherwise begin with all triggers of a status. */
  private readonly triggers: string;
  private readonly lockSql: string;
  private readonly stateSql: string;
  private readonly leaveSql: string;
  private readonly transferSql: string;
  private readonly endSql: string;

  constructor(
    private readonly database: Database,
    private readonly ledger: Ledger,
  ) {
    const { sql } = database;
    const [id, key] = [{ id: 'id' }, { ordering_key: 'word' }] as const;
    this.triggers = `webhook_trigger ${sql.byIndex('PRIMARY')}`;
    this.lockSql = `INSERT INTO webhook_group_head (ordering_key, trigger_id) SELECT j.ordering_key, '${NOBODY}'
      FROM ${sql.jsonRows(key)} AS j WHERE 1 = 1 ${sql.lockDuplicate('writes')}`;
    this.stateSql = `SELECT j.id, t.status, m.ordering_key FROM ${sql.jsonRows(id)} AS j
      LEFT JOIN webhook_trigger AS t ON t.id = j.id LEFT JOIN webhook_group_member AS m ON m.trigger_id = j.id`;
    this.leaveSql = sql.deleteRows('webhook_group_member', { trigger_id: 'id' });
    this.transferSql = sql.updateFromRows(
      'webhook_group_head',
      { ...key, to_id: 'id' },
      { trigger_id: 'j.to_id' },
      't.ordering_key = j.ordering_key',
    );
    this.endSql = sql.deleteRows('webhook_group_head', key);
  }

  /**
   * Locks groups. Everybody locks them in the same order, before anything of them is read: one who sees a head that has not ended
   * yet, and one who ends it without seeing a trigger that has just come, would each leave that trigger to the other.
   *
   * A row is written, and not only locked: on the nodes of a Galera cluster, which know nothing of each other's locks, the second
   * of two transactions that write it then fails when it commits, and runs again. SQLite runs one transaction at a time anyway.
   */
  lock(manager: EntityManager, orderingKeys: string[]): Promise<void> {
    return this.each(manager, this.lockSql, [...orderingKeys].sort());
  }

  /**
   * Takes out what has ended, and puts in what is undelivered and belongs to no group yet. The groups of all positions are locked:
   * one who had read before that a trigger is undelivered would otherwise put it in after it was delivered, for ever.
   *
   * @returns triggers that belong to no group, and may be blocked: their webhook has changed.
   */
  async update(manager: EntityManager, triggerIds: string[], positions: Positions): Promise<string[]> {
    const rows = await this.database.query<StateRow[]>(this.stateSql, [keysOf(triggerIds)], manager);
    const wrong = rows.filter(
      ({ status, ordering_key }) => (ordering_key !== null) !== UNDELIVERED.has(status),
    );
    const leaving = wrong.flatMap(({ id, ordering_key }) => (ordering_key === null ? [] : id));
    await this.each(manager, this.leaveSql, leaving);
    const coming = wrong.flatMap(({ id, ordering_key }) => (ordering_key === null ? id : []));
    const members = coming.flatMap((triggerId) => {
      const position = positions.get(triggerId);
      return position ? { triggerId, ...position } : [];
    });
    if (members.length > 0) await this.database.insertMany(manager, membersOf(members));
    return coming.filter((id) => !positions.has(id));
  }

  /** Cancels what waits while a newer trigger of its group has the same topic. */
  async supersede(manager: EntityManager, topics: string[], now: number): Promise<void> {
    const { byIndex, thenJoin } = this.database.sql;
    // By topic, as a group may be very large.
    const byTopic = byIndex('webhook_group_member_topic');
    const older = await this.ofAll<{ id: string }>(
      manager,
      topics,
      (list) => `SELECT m.trigger_id AS id FROM (
         SELECT ordering_key, topic, MAX(position) AS position FROM webhook_group_member ${byTopic}
         WHERE topic IN ${list} GROUP BY ordering_key, topic
       ) AS newest ${thenJoin} webhook_group_member AS m ${byTopic}
         ON m.topic = newest.topic AND m.ordering_key = newest.ordering_key AND m.position < newest.position
       ORDER BY m.position LIMIT ${SUPERSEDED_AT_ONCE}`,
    );
    // One that is being sent is examined again when it has failed.
    const waiting = await this.lockPending(
      manager,
      older.map(({ id }) => id),
    );
    await this.ledger.apply(manager, 'supersede', { ids: waiting }, now);
    await this.each(manager, this.leaveSql, waiting);
  }

  /**
   * The rule of a group: its first trigger is its head. If another one is, because the first has come late or is retried by hand,
   * that one is blocked until it is the head again, unless an attempt of it is under way. All groups are locked.
   *
   * @returns the heads that may not be due yet.
   */
  async assign(manager: EntityManager, orderingKeys: string[]): Promise<string[]> {
    const groups = await this.find(manager, orderingKeys);
    const wrong = groups.filter(
      ({ first_id, head_id, head_status }) => head_id !== first_id && head_status !== 'DELIVERING',
    );
    const waiting = wrong.flatMap(({ head_id, head_status }) => (head_status === 'PENDING' ? head_id : []));
    const blocked = new Set(await this.block(manager, waiting));
    // A head that somebody has locked meanwhile is examined again after that.
    const free = wrong.filter(
      ({ head_id, head_status }) => head_status !== 'PENDING' || blocked.has(head_id),
    );
    const rows = free.flatMap(({ ordering_key, first_id }) =>
      first_id === null ? [] : [[ordering_key, first_id]],
    );
    if (rows.length > 0) await this.database.query(this.transferSql, [writeJson(rows)], manager);
    // An empty group keeps no row.
    const ended = free.flatMap(({ ordering_key, first_id }) => (first_id === null ? ordering_key : []));
    await this.each(manager, this.endSql, ended);
    const stay = groups.filter(
      ({ head_id, head_due }) => Number(head_due) === NEVER_DUE && !blocked.has(head_id),
    );
    return [...free.flatMap(({ first_id }) => first_id ?? []), ...stay.map(({ head_id }) => head_id)];
  }

  /** Makes due those of these triggers that are blocked. @returns those. */
  async makeDue(manager: EntityManager, triggerIds: string[], now: number): Promise<NewHead[]> {
    const rows = await this.ofAll<NewHead>(
      manager,
      triggerIds,
      (list) => `SELECT id, CASE WHEN ${IS_ASKED_FOR} THEN 1 ELSE 0 END AS is_urgent
       FROM ${this.triggers} WHERE id IN ${list} AND ${canMake(TRANSITIONS.unblock)}`,
    );
    await this.ledger.apply(manager, 'unblock', { ids: rows.map(({ id }) => id) }, now);
    return rows;
  }

  /** A locked group has a row. */
  private find(manager: EntityManager, orderingKeys: string[]): Promise<GroupRow[]> {
    // In their order, so that the first of a group is found without reading the others.
    const inOrder = `webhook_group_member ${this.database.sql.byIndex('webhook_group_member_position')}`;
    return this.ofAll(
      manager,
      orderingKeys,
      (list) => `SELECT h.ordering_key,
         (SELECT trigger_id FROM ${inOrder} WHERE ordering_key = h.ordering_key ORDER BY position LIMIT 1) AS first_id,
         h.trigger_id AS head_id, t.status AS head_status, t.next_attempt_at AS head_due
       FROM webhook_group_head AS h LEFT JOIN webhook_trigger AS t ON t.id = h.trigger_id
       WHERE h.ordering_key IN ${list} ORDER BY h.ordering_key`,
    );
  }

  /** @returns those that wait. A claim that is under way finds that they are not due any more. */
  private async block(manager: EntityManager, triggerIds: string[]): Promise<string[]> {
    const waiting = await this.lockPending(manager, triggerIds);
    // One that waits for its next attempt goes on waiting for it when it is the head again.
    await this.ofAll(
      manager,
      waiting,
      (list) => `UPDATE webhook_group_member ${this.database.sql.byIndex('PRIMARY')} SET due_at = (
         SELECT CASE WHEN next_attempt_at < ${NEVER_DUE} THEN next_attempt_at ELSE 0 END FROM webhook_trigger WHERE id = trigger_id)
       WHERE trigger_id IN ${list}`,
    );
    await this.ledger.apply(manager, 'block', { ids: waiting }, NEVER_DUE);
    return waiting;
  }

  /** Locks the waiting ones among these triggers; what somebody else has locked is left out. */
  private async lockPending(manager: EntityManager, triggerIds: string[]): Promise<string[]> {
    const rows = await this.ofAll<{ id: string }>(
      manager,
      triggerIds,
      (list) => `SELECT id FROM ${this.triggers} WHERE id IN ${list}
         AND ${hasStatus(['PENDING'])} ${this.database.sql.forUpdateOfFree}`,
    );
    return rows.map(({ id }) => id);
  }

  /** Runs a statement on a list of keys; none for an empty one. */
  private async ofAll<Row>(
    manager: EntityManager,
    keys: string[],
    sql: (list: string) => string,
  ): Promise<Row[]> {
    if (keys.length === 0) return [];
    const list = this.database.sql.idList(keys);
    return this.database.query(sql(list.sql), [list.parameter], manager);
  }

  /** Runs a statement that writes a row for each key; none for no key. */
  private async each(manager: EntityManager, sql: string, keys: string[]): Promise<void> {
    if (keys.length > 0) await this.database.query(sql, [keysOf(keys)], manager);
  }
}
