import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database.js';
import { indexHint } from '../../database/index-hint.js';
import { idList } from '../../database/json-rows.js';
import { RecoverFrom } from '../cancel/recover-from.repository.js';
import { ChangeLog } from '../changes/change-log.repository.js';
import { LineMarks } from '../line/line-mark.repository.js';
import { othersThan, TRANSITIONS, type Transition, type TransitionName } from './transitions.js';

/** The triggers of a transition. The caller has locked them, their webhooks before, where others may change them. */
export interface Targets {
  ids: string[];
  /** Their webhooks, if the transition is one that webhooks miss. */
  webhookIds?: string[];
  /** SQL for a further condition on a trigger, without parameters. */
  condition?: string;
}

/**
 * Changes the status of triggers, and does what follows from every change, in this order: its lease is taken away, so that
 * a result of an earlier holder matches no row; its line is put right; whoever watches is told; its webhook misses it.
 */
@Injectable()
export class Ledger {
  /** Otherwise MySQL scans a small table, and waits for rows that others have locked. */
  private readonly byKey: string;

  constructor(
    private readonly database: Database,
    private readonly lines: LineMarks,
    private readonly changes: ChangeLog,
    private readonly recoverFrom: RecoverFrom,
  ) {
    this.byKey = indexHint(database.dialect, 'PRIMARY');
  }

  /**
   * Those of the targets that are in none of its statuses stay as they are.
   *
   * @param at when it happens, or when they are due again. Epoch milliseconds.
   */
  async apply(
    manager: EntityManager,
    name: TransitionName,
    { ids, webhookIds = [], condition }: Targets,
    at: number,
  ): Promise<void> {
    if (ids.length === 0) return;
    const transition: Transition = TRANSITIONS[name];
    const list = idList(this.database.dialect, ids);
    // Not "status IN": SQLite would find those first, and look for the ids among them.
    await this.database.query(
      `UPDATE webhook_trigger ${this.byKey} SET ${assignments(transition)}
       WHERE id IN ${list.sql} AND status NOT IN (${othersThan(transition.from).map(quoted).join(', ')})
         ${condition ? `AND ${condition}` : ''}`,
      [at, list.parameter],
      manager,
    );
    if (!transition.leavesLine) await this.lines.add(manager, ids);
    await this.changes.add(manager, ids);
    if (transition.isMissed) await this.recoverFrom.lower(manager, webhookIds, ids);
  }
}

const quoted = (status: string) => `'${status}'`;

function assignments({ to, set }: Transition): string {
  const columns = { status: quoted(to), ...set, leased_by: `''`, lease: 'lease + 1' };
  return Object.entries(columns)
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');
}
