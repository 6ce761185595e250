import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { keysOf } from '../../store/sql.js';
import type { AttemptCause, TriggerStatus } from '../../store/tables/trigger/trigger.entity.js';
import { Ledger } from '../ledger/ledger.repository.js';
import { NEVER_DUE } from '../ledger/never-due.js';
import { canMake, TRANSITIONS } from '../ledger/transitions.js';
import { GroupMembers } from './group-members.repository.js';
import { type GroupState, type HeadTransfer, headTransferOf } from './head-transfer.js';

/** A trigger that has become the head of its group, or belongs to none any more, and is due. */
export interface NewHead {
  triggerId: string;
  /** Of its next attempt. */
  cause: AttemptCause;
  /** Whether it has not been tried since its schedule began. */
  isFresh: boolean;
}

interface GroupRow {
  ordering_key: string;
  first_id: string | null;
  head_id: string;
  head_status: TriggerStatus | null;
  head_due: number | string | null;
}

/** The head of a group that has none. */
const NOBODY = '';

/** The head of each group. Its row is locked by whoever looks at the group, so no group gets two heads. */
@Injectable()
export class GroupHeads {
  private readonly byKey: string;
  private readonly triggers: string;
  /** In their order, so that the first of a group is found without reading the others. */
  private readonly membersInOrder: string;
  private readonly lockSql: string;
  private readonly transferSql: string;
  private readonly endSql: string;

  constructor(
    private readonly database: Database,
    private readonly members: GroupMembers,
    private readonly ledger: Ledger,
  ) {
    const { sql } = database;
    this.byKey = sql.byIndex('PRIMARY');
    this.triggers = `webhook_trigger ${this.byKey}`;
    this.membersInOrder = `webhook_group_member ${sql.byIndex('webhook_group_member_position')}`;
    const keys = sql.jsonRows({ key_value: 'word' });
    this.lockSql = `INSERT INTO webhook_group_head (ordering_key, trigger_id) SELECT j.key_value, '${NOBODY}' FROM ${keys} AS j WHERE 1 = 1
      ${sql.lockDuplicate('writes')}`;
    this.transferSql = sql.updateFromRows(
      'webhook_group_head',
      { ordering_key: 'word', to_id: 'id' },
      { trigger_id: 'j.to_id' },
      't.ordering_key = j.ordering_key',
    );
    this.endSql = sql.deleteRows('webhook_group_head', { ordering_key: 'word' });
  }

  /**
   * Locks groups. Everybody locks them in the same order, before anything of them is read: one who sees a head that has not ended
   * yet, and one who ends it without seeing a trigger that has just come, would each leave that trigger to the other.
   *
   * A row is written, and not only locked: on the nodes of a Galera cluster, which know nothing of each other's locks, the second
   * of two transactions that write it then fails when it commits, and runs again. SQLite runs one transaction at a time anyway.
   */
  async lock(manager: EntityManager, orderingKeys: string[]): Promise<void> {
    if (orderingKeys.length === 0) return;
    await this.database.query(this.lockSql, [keysOf([...orderingKeys].sort())], manager);
  }

  /**
   * Makes the first trigger of each group, all of which are locked, its head, if need be by blocking another one that waits.
   *
   * @returns the heads that may not be due yet.
   */
  async assign(manager: EntityManager, orderingKeys: string[]): Promise<string[]> {
    if (orderingKeys.length === 0) return [];
    const groups = await this.groups(manager, orderingKeys);
    const waiting = groups.flatMap(({ head }) => (head?.state === 'blocked' ? head.triggerId : []));
    const wanted = groups.flatMap((group) => headTransferOf(group) ?? []);
    const blocked = new Set(
      await this.block(
        manager,
        wanted.flatMap((transfer) => transfer.blocked ?? []),
      ),
    );
    const possible = wanted.filter((transfer) => transfer.blocked === null || blocked.has(transfer.blocked));
    await this.transfer(manager, possible);
    return [...possible.flatMap(({ to }) => to ?? []), ...waiting.filter((id) => !blocked.has(id))];
  }

  /** Makes due those of these triggers that are blocked. @returns those. */
  async makeDue(manager: EntityManager, triggerIds: string[], now: number): Promise<NewHead[]> {
    if (triggerIds.length === 0) return [];
    const list = this.database.sql.idList(triggerIds);
    const rows = await this.database.query<
      { id: string; cause: AttemptCause; attempt_count: number; schedule_offset: number }[]
    >(
      `SELECT id, cause, attempt_count, schedule_offset FROM ${this.triggers} WHERE id IN ${list.sql} AND ${canMake(TRANSITIONS.unblock)}`,
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

  /** The first trigger of each group, and its head. A locked group has a row. */
  private async groups(manager: EntityManager, orderingKeys: string[]): Promise<GroupState[]> {
    const list = this.database.sql.idList(orderingKeys);
    const rows = await this.database.query<GroupRow[]>(
      `SELECT h.ordering_key,
         (SELECT trigger_id FROM ${this.membersInOrder} WHERE ordering_key = h.ordering_key ORDER BY position LIMIT 1) AS first_id,
         h.trigger_id AS head_id, t.status AS head_status, t.next_attempt_at AS head_due
       FROM webhook_group_head AS h LEFT JOIN webhook_trigger AS t ON t.id = h.trigger_id
       WHERE h.ordering_key IN ${list.sql} ORDER BY h.ordering_key`,
      [list.parameter],
      manager,
    );
    return rows.map(({ ordering_key, first_id, ...row }) => ({
      orderingKey: ordering_key,
      first: first_id,
      head: headOf(row),
    }));
  }

  /** @returns those that wait. A claim that is under way finds that they are not due any more. */
  private async block(manager: EntityManager, triggerIds: string[]): Promise<string[]> {
    const waiting = await this.members.lockPending(manager, triggerIds);
    if (waiting.length === 0) return [];
    const list = this.database.sql.idList(waiting);
    // One that waits for its next attempt goes on waiting for it when it is the head again.
    await this.database.query(
      `UPDATE webhook_group_member ${this.byKey} SET due_at = (
         SELECT CASE WHEN next_attempt_at < ${NEVER_DUE} THEN next_attempt_at ELSE 0 END FROM webhook_trigger WHERE id = trigger_id)
       WHERE trigger_id IN ${list.sql}`,
      [list.parameter],
      manager,
    );
    await this.ledger.apply(manager, 'block', { ids: waiting }, NEVER_DUE);
    return waiting;
  }

  /** An empty group keeps no row. */
  private async transfer(manager: EntityManager, transfers: HeadTransfer[]): Promise<void> {
    const rows = transfers.flatMap(({ orderingKey, to }) => (to === null ? [] : [[orderingKey, to]]));
    if (rows.length > 0) await this.database.query(this.transferSql, [JSON.stringify(rows)], manager);
    const ended = transfers.flatMap(({ orderingKey, to }) => (to === null ? orderingKey : []));
    if (ended.length > 0) await this.database.query(this.endSql, [keysOf(ended)], manager);
  }
}

function headOf({ head_id, head_status, head_due }: Omit<GroupRow, 'ordering_key' | 'first_id'>) {
  if (head_id === NOBODY) return null;
  const isBlocked = Number(head_due) === NEVER_DUE;
  const state =
    head_status === 'PENDING'
      ? isBlocked
        ? 'blocked'
        : 'due'
      : head_status === 'DELIVERING'
        ? 'sending'
        : 'ended';
  return { triggerId: head_id, state } as const;
}
