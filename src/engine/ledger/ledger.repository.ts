import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import { insertStep, type Statement, type WriteStep } from '../../store/insert.js';
import type { ScriptStep } from '../../store/sqlite/sqlite-session.js';
import { ChangeLog } from '../changes/change-log.repository.js';
import { RecoverFrom } from '../health/recover-from.repository.js';
import { CLAIM_LOCKED, CLAIM_ONE, type ClaimedRow, LOCK_CLAIMABLE } from './claiming.js';
import { OrderingMarks, orderingMarksOf } from './ordering-marks.repository.js';
import { lockBodies, make, type Replayed, resend } from './replay.js';
import { type Requeued, requeuedRows, requeueSql } from './requeue.js';
import { SETTLE_ONE, type Settled, settledRows, settledValues, settleRowsSql } from './settling.js';
import { canMake, changesOf, TRANSITIONS, type Transition, type TransitionName } from './transitions.js';

/** The triggers of a transition. The caller has locked them, their webhooks before, where others may change them. */
export interface Targets {
  ids: string[];
  /** Their webhooks, if the transition is one that webhooks miss. */
  webhookIds?: string[];
  /** SQL for a further condition on a trigger `t`, without parameters. */
  condition?: string;
}

/**
 * Changes the status of triggers, and does what follows from every change, in this order: its lease is taken away, its group is
 * reconciled, whoever watches is told, its webhook misses it.
 */
@Injectable()
export class Ledger {
  /** Otherwise MySQL scans a small table, and waits for rows that others have locked. */
  private readonly byKey: string;
  private readonly requeueSql: string;
  private readonly settleSql: string;

  constructor(
    private readonly database: Database,
    private readonly marks: OrderingMarks,
    private readonly changes: ChangeLog,
    private readonly recoverFrom: RecoverFrom,
  ) {
    this.byKey = database.sql.byIndex('PRIMARY');
    this.requeueSql = requeueSql(database.sql);
    this.settleSql = settleRowsSql(database.sql);
  }

  /**
   * Triggers that are in none of the transition's `from` statuses are left alone.
   *
   * @param at when it happens, or when they are due again. Epoch milliseconds.
   */
  async apply(manager: EntityManager, name: TransitionName, targets: Targets, at: number): Promise<void> {
    const { ids, webhookIds = [] } = targets;
    if (ids.length === 0) return;
    const { isOfOrdering, isMissed }: Transition = TRANSITIONS[name];
    const { sql, parameters } = this.step(name, targets, at);
    await this.database.query(sql, parameters, manager);
    await this.follow(manager, ids, isOfOrdering ? [] : ids);
    if (isMissed) await this.recoverFrom.lower(manager, webhookIds, ids);
  }

  /** The change alone, where other statements of its transaction do what follows. */
  step(name: TransitionName, { ids, condition }: Targets, at: number): Statement {
    const transition: Transition = TRANSITIONS[name];
    const list = this.database.sql.idList(ids);
    const set = Object.entries(changesOf(transition)).map(([column, value]) => `${column} = ${value}`);
    const conditions = [canMake(transition), condition ?? []].flat();
    return {
      sql: `UPDATE webhook_trigger AS t ${this.byKey} SET ${set.join(', ')} WHERE id IN ${list.sql} AND ${conditions.join(' AND ')}`,
      parameters: [...Array(set.join().split('?').length - 1).fill(at), list.parameter],
    };
  }

  /** Leases to an instance, on MySQL, those of these triggers that are due and that nobody else claims. @returns in their order. */
  async claim(manager: EntityManager, instanceId: string, ids: string[]): Promise<ClaimedRow[]> {
    const rows = await this.database.query<ClaimedRow[]>(LOCK_CLAIMABLE, [ids], manager);
    if (rows.length === 0) return [];
    const found = rows.map(({ id }) => id);
    await this.database.query(CLAIM_LOCKED, [instanceId, found], manager);
    await this.changes.add(manager, found);
    for (const row of rows) row.lease++;
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  /** The same as steps of a script of SQLite: the first answers the rows, the others note the changes. */
  claiming<T>(
    instanceId: string,
    ids: string[],
    run: (claim: ScriptStep, noted: ScriptStep[]) => Promise<T>,
  ): Promise<T> {
    const claim = { sql: CLAIM_ONE, rows: ids.map((id) => [instanceId, id]) };
    return this.changes.noting({ trigger: ids }, null, (noted) => run(claim, noted.map(insertStep)));
  }

  /**
   * Settles triggers, on MySQL. The caller reconciles their groups.
   *
   * @returns how many leases were still held, and so how many triggers have changed.
   */
  async settle(manager: EntityManager, settled: Settled[]): Promise<number> {
    const parameters = [settledRows(settled)];
    const answer = await this.database.query<{ affectedRows: number }>(this.settleSql, parameters, manager);
    const ids = settled.map(({ id }) => id);
    await this.changes.add(manager, ids);
    return answer.affectedRows;
  }

  /**
   * The same as steps of a script of SQLite: one for the triggers, and those that follow.
   *
   * @param mustChange whether the script is undone if a lease is not held any more.
   */
  settling<T>(
    settled: Settled[],
    mustChange: boolean,
    run: (settle: ScriptStep, follow: ScriptStep[]) => Promise<T>,
  ): Promise<T> {
    const ids = settled.map(({ id }) => id);
    const ordered = settled.flatMap((trigger) => (trigger.ordered ? trigger.id : []));
    return this.changes.noting({ trigger: ids }, null, (noted) =>
      run({ sql: SETTLE_ONE, rows: settled.map(settledValues), mustChange }, [
        ...(ordered.length > 0 ? [insertStep(orderingMarksOf(ordered))] : []),
        ...noted.map(insertStep),
      ]),
    );
  }

  /**
   * Requeues, without an attempt, the triggers of those of these leases that are still valid.
   *
   * @param manager of a transaction; null if it is a write by itself, which is one statement where nothing follows.
   */
  async requeue(leases: Requeued[], manager: EntityManager | null = null): Promise<void> {
    const parameters = [requeuedRows(leases)];
    const ids = leases.map(({ id }) => id);
    const ordered = leases.flatMap((lease) => (lease.ordered ? lease.id : []));
    if (manager) {
      await this.database.query(this.requeueSql, parameters, manager);
      return this.follow(manager, ids, ordered);
    }
    await this.changes.noting({ trigger: ids }, null, async (noted) => {
      if (noted.length > 0 || ordered.length > 0)
        await this.database.transaction((own) => this.requeue(leases, own));
      else await this.database.query(this.requeueSql, parameters);
    });
  }

  /**
   * Sends triggers again that failed or were cancelled, and makes those that never were, of whatever still has its body: as
   * steps of one transaction, which has locked before what the condition reads.
   *
   * @param condition SQL on a row `j` of either, and its parameters.
   * @param then comes after each of the two, and may ask how many triggers that changed.
   */
  resending<T>(
    { resent, made, ...of }: Replayed,
    condition: Statement,
    then: Statement[],
    run: (steps: WriteStep[]) => Promise<T>,
  ): Promise<T> {
    const all = [...resent, ...made];
    const { sql } = this.database;
    const steps: WriteStep[] = [lockBodies(sql, all)];
    if (resent.length > 0) steps.push(resend(sql, of.cause, resent, condition), ...then);
    if (made.length > 0) steps.push(make(sql, of, made, condition), ...then);
    const ids = all.map(({ triggerId }) => triggerId);
    return this.changes.noting({ trigger: ids }, null, (noted) =>
      run(ids.length > 0 ? [...steps, this.marks.step(ids), ...noted] : []),
    );
  }

  /** @param ordered those whose groups have to be reconciled, if they belong to one. */
  private async follow(manager: EntityManager, ids: string[], ordered = ids): Promise<void> {
    await this.marks.add(manager, ordered);
    await this.changes.add(manager, ids);
  }
}
