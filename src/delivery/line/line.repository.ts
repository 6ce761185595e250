import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../common/clock.js';
import { Database } from '../../database/database.js';
import { deleteRows, keysOf } from '../../database/json-rows.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { QueueTime } from '../../trigger/queue-time.js';
import { UrgentTriggerRepository } from '../../trigger/urgent-trigger.repository.js';
import type { LinePlace } from './line.js';
import { LineMembers } from './line-members.repository.js';
import { type LineTurn, LineTurns } from './line-turns.repository.js';

/** Marks looked at in one transaction. */
const AT_ONCE = 200;

/** Puts lines right after something has happened to their triggers. */
@Injectable()
export class LineRepository {
  private readonly skipLocked: string;
  private readonly forget: string;

  constructor(
    private readonly database: Database,
    private readonly members: LineMembers,
    private readonly turns: LineTurns,
    private readonly urgent: UrgentTriggerRepository,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.skipLocked = database.dialect === 'mysql' ? 'FOR UPDATE SKIP LOCKED' : '';
    this.forget = deleteRows(database.dialect, 'webhook_line_mark', 'id', 'integer');
  }

  /**
   * Takes some marks, the oldest ones that no other process has taken, and puts the lines of their triggers right, in one
   * transaction: a mark is gone only when its line is right.
   *
   * @returns whether there may be more marks.
   */
  async keepSome(): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const marks = await this.database.query<{ id: number | string; trigger_id: string }[]>(
        `SELECT id, trigger_id FROM webhook_line_mark ORDER BY id LIMIT ${AT_ONCE} ${this.skipLocked}`,
        [],
        manager,
      );
      if (marks.length === 0) return false;
      await this.putRight(
        manager,
        marks.map(({ trigger_id }) => trigger_id),
      );
      await this.database.query(this.forget, [keysOf(marks.map(({ id }) => Number(id)))], manager);
      return marks.length === AT_ONCE;
    });
  }

  /**
   * Puts the lines of triggers right in the caller's transaction: takes out what has ended, puts in what is undelivered and
   * stands in none, cancels what is superseded, and gives the turn to the first.
   */
  async putRight(manager: EntityManager, triggerIds: string[]): Promise<void> {
    const now = this.time.now();
    const ids = [...new Set(triggerIds)];
    const places = await this.members.places(manager, ids);
    const lines = linesOf(places.values());
    await this.turns.lock(manager, lines);
    const freed = await this.members.update(manager, ids, places);
    const topics = new Set([...places.values()].flatMap(({ topic }) => topic ?? []));
    await this.members.supersede(manager, [...topics], this.clock.now());
    const released = await this.turns.give(manager, lines);
    const due = await this.turns.makeDue(manager, [...released, ...freed], now);
    const urgent = due.filter(isAskedFor).map(({ triggerId }) => triggerId);
    if (urgent.length > 0) await this.urgent.mark(manager, urgent);
    this.database.onCommit(manager, () => {
      if (due.length > 0) this.signals.emit('due', now);
      if (urgent.length > 0) this.signals.emit('urgent');
    });
  }
}

const isAskedFor = ({ cause, isFresh }: LineTurn) => cause === 'retry' && isFresh;

const linesOf = (places: Iterable<LinePlace>) => [...new Set([...places].map(({ line }) => line))];
