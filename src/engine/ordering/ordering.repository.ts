import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isDatabaseUnavailable, isLockTimeout } from '../../platform/database-error.js';
import { Database } from '../../store/database.js';
import { keysOf } from '../../store/sql.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import { GroupPositions } from './group-positions.repository.js';
import { Groups } from './groups.repository.js';

interface MarkRow {
  id: number | string;
  trigger_id: string;
}

/** How marks are examined: many in one transaction from the oldest on, or one by one, once. */
interface Round {
  atOnce: number;
  /** The last mark that was examined. */
  markId: number;
  /** Ordering keys of groups that a process has locked for long: they are not waited for. */
  stuck: Set<string>;
}

const together = (): Round => ({ atOnce: 200, markId: 0, stuck: new Set() });

/** Reconciles groups after something has happened to their triggers. */
@Injectable()
export class OrderingRepository {
  private readonly forget: string;
  private readonly logger = new Logger('Delivery');
  private round = together();

  constructor(
    private readonly database: Database,
    private readonly positions: GroupPositions,
    private readonly groups: Groups,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.forget = database.sql.deleteRows('webhook_ordering_mark', { id: 'integer' });
  }

  /**
   * Takes some marks, the oldest ones that no other process has taken, and reconciles the groups of their triggers, in one
   * transaction: a mark is gone only when its group is reconciled. After a fault it takes them one by one, once, so that a group
   * that cannot be reconciled, or that a process which stands still has locked, holds up no other.
   *
   * @returns whether there may be more marks.
   */
  async processMarks(): Promise<boolean> {
    const { round } = this;
    const isAlone = round.atOnce === 1;
    let marks: MarkRow[] = [];
    try {
      await this.database.transaction(async (manager) => {
        marks = await this.take(manager, round);
        const ids = marks.map(({ trigger_id }) => trigger_id);
        if (ids.length === 0 || !(await this.reconcile(manager, ids, round.stuck))) return;
        await this.database.query(this.forget, [keysOf(marks.map(({ id }) => Number(id)))], manager);
      });
    } catch (error) {
      // It may be the fault of one group.
      if (!isLockTimeout(error) && isDatabaseUnavailable(error)) throw error;
      if (!isAlone) this.round = { ...together(), atOnce: 1 };
      const [mark] = marks;
      if (!isAlone || !mark) throw error;
      this.logger.error(
        `Could not update the group of trigger ${mark.trigger_id}: ${(error as Error).message}`,
      );
    }
    const last = marks.at(-1);
    if (isAlone) this.round = last ? { ...round, markId: Number(last.id) } : together();
    return marks.length === round.atOnce;
  }

  private take(manager: EntityManager, { atOnce, markId }: Round): Promise<MarkRow[]> {
    const sql = `SELECT id, trigger_id FROM webhook_ordering_mark WHERE id > ? ORDER BY id LIMIT ${atOnce}`;
    return this.database.query(`${sql} ${this.database.sql.forUpdateOfFree}`, [markId], manager);
  }

  /**
   * Reconciles the groups of triggers in the caller's transaction: takes out what has ended, puts in what is undelivered and
   * belongs to none, cancels what is superseded, and makes the first of each its head.
   *
   * @param stuck ordering keys that are not waited for. Those that are added belong to groups that could not be locked.
   * @returns false if nothing was done, because one of the groups is stuck.
   */
  async reconcile(manager: EntityManager, triggerIds: string[], stuck = new Set<string>()): Promise<boolean> {
    const now = this.time.now();
    const ids = [...new Set(triggerIds)];
    const positions = await this.positions.find(manager, ids);
    const all = [...positions.values()];
    const orderingKeys = [...new Set(all.map(({ orderingKey }) => orderingKey))];
    if (orderingKeys.some((key) => stuck.has(key))) return false;
    await this.groups.lock(manager, orderingKeys).catch((error: unknown) => {
      if (isLockTimeout(error)) for (const key of orderingKeys) stuck.add(key);
      throw error;
    });
    const freed = await this.groups.update(manager, ids, positions);
    const topics = new Set(all.flatMap(({ topic }) => topic ?? []));
    await this.groups.supersede(manager, [...topics], this.clock.now());
    const assigned = await this.groups.assign(manager, orderingKeys);
    const due = await this.groups.makeDue(manager, [...assigned, ...freed], now);
    this.database.onCommit(manager, () => {
      if (due.length > 0) this.signals.emit('due', now);
      if (due.some(({ is_urgent }) => is_urgent)) this.signals.emit('urgent');
    });
    return true;
  }
}
