import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isDatabaseUnavailable, isLockTimeout } from '../../platform/database-error.js';
import { Database } from '../../store/database.js';
import { deleteRows, keysOf } from '../../store/json-rows.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import { UrgentTriggerRepository } from '../ledger/urgent-trigger.repository.js';
import type { LinePlace } from './line.js';
import { LineMembers } from './line-members.repository.js';
import { type LineTurn, LineTurns } from './line-turns.repository.js';

/** Marks looked at in one transaction. */
const AT_ONCE = 200;

interface MarkRow {
  id: number | string;
  trigger_id: string;
}

/** Marks taken one by one. */
interface Round {
  /** The last one. */
  markId: number;
  /** Lines that a process has locked for long. */
  stuck: Set<string>;
}

/** Puts lines right after something has happened to their triggers. */
@Injectable()
export class LineRepository {
  private readonly skipLocked: string;
  private readonly forget: string;
  private readonly logger = new Logger('Delivery');
  private round: Round | null = null;

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
   * transaction: a mark is gone only when its line is right. After a fault it takes them one by one, once, so that a line
   * that cannot be put right, or that a process which stands still has locked, holds up no other.
   *
   * @returns whether there may be more marks.
   */
  async keepSome(): Promise<boolean> {
    if (this.round) return this.keepNext(this.round);
    try {
      return (await this.keep(0, AT_ONCE)) === AT_ONCE;
    } catch (error) {
      if (isOfOne(error)) this.round = { markId: 0, stuck: new Set() };
      throw error;
    }
  }

  /** Takes the next mark of a round. */
  private async keepNext(round: Round): Promise<boolean> {
    const [next] = await this.database.query<MarkRow[]>(
      'SELECT id, trigger_id FROM webhook_line_mark WHERE id > ? ORDER BY id LIMIT 1',
      [round.markId],
    );
    if (!next) {
      this.round = null;
      return false;
    }
    try {
      await this.keep(Number(next.id), 1, round.stuck);
    } catch (error) {
      if (!isOfOne(error)) throw error;
      this.logger.error(
        `The line of trigger ${next.trigger_id} is not right yet: ${(error as Error).message}`,
      );
    }
    round.markId = Number(next.id);
    return true;
  }

  /**
   * Takes marks from an id on.
   *
   * @param stuck lines that are left alone; those that could not be locked are added.
   * @returns how many were taken.
   */
  private keep(fromId: number, limit: number, stuck = new Set<string>()): Promise<number> {
    return this.database.transaction(async (manager) => {
      const marks = await this.database.query<MarkRow[]>(
        `SELECT id, trigger_id FROM webhook_line_mark WHERE id >= ? ORDER BY id LIMIT ${limit} ${this.skipLocked}`,
        [fromId],
        manager,
      );
      if (marks.length === 0) return 0;
      const ids = marks.map(({ trigger_id }) => trigger_id);
      if (!(await this.putRight(manager, ids, stuck))) return 0;
      await this.database.query(this.forget, [keysOf(marks.map(({ id }) => Number(id)))], manager);
      return marks.length;
    });
  }

  /**
   * Puts the lines of triggers right in the caller's transaction: takes out what has ended, puts in what is undelivered and
   * stands in none, cancels what is superseded, and gives the turn to the first.
   *
   * @param stuck lines that are not waited for. Those that are added could not be locked.
   * @returns false if nothing was done, because one of the lines is stuck.
   */
  async putRight(manager: EntityManager, triggerIds: string[], stuck = new Set<string>()): Promise<boolean> {
    const now = this.time.now();
    const ids = [...new Set(triggerIds)];
    const places = await this.members.places(manager, ids);
    const lines = linesOf(places.values());
    if (lines.some((line) => stuck.has(line))) return false;
    await this.turns.lock(manager, lines).catch((error: unknown) => {
      if (isLockTimeout(error)) for (const line of lines) stuck.add(line);
      throw error;
    });
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
    return true;
  }
}

/** Whether an error may be the fault of one line. */
const isOfOne = (error: unknown) => isLockTimeout(error) || !isDatabaseUnavailable(error);

const isAskedFor = ({ cause, isFresh }: LineTurn) => cause === 'retry' && isFresh;

const linesOf = (places: Iterable<LinePlace>) => [...new Set([...places].map(({ line }) => line))];
