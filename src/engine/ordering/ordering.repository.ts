import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { isDatabaseUnavailable, isLockTimeout } from '../../platform/database-error.js';
import { Database } from '../../store/database.js';
import { keysOf } from '../../store/sql.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import { UrgentTriggerRepository } from '../ledger/urgent-trigger.repository.js';
import { GroupHeads, type NewHead } from './group-heads.repository.js';
import { GroupMembers } from './group-members.repository.js';
import type { GroupPosition } from './ordering-key.js';

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
  /** Ordering keys of groups that a process has locked for long. */
  stuck: Set<string>;
}

/** Reconciles groups after something has happened to their triggers. */
@Injectable()
export class OrderingRepository {
  private readonly skipLocked: string;
  private readonly forget: string;
  private readonly logger = new Logger('Delivery');
  private round: Round | null = null;

  constructor(
    private readonly database: Database,
    private readonly members: GroupMembers,
    private readonly heads: GroupHeads,
    private readonly urgent: UrgentTriggerRepository,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.skipLocked = database.sql.forUpdateOfFree;
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
    if (this.round) return this.processNext(this.round);
    try {
      return (await this.process(0, AT_ONCE)) === AT_ONCE;
    } catch (error) {
      if (isOfOne(error)) this.round = { markId: 0, stuck: new Set() };
      throw error;
    }
  }

  /** Takes the next mark of a round. */
  private async processNext(round: Round): Promise<boolean> {
    const [next] = await this.database.query<MarkRow[]>(
      'SELECT id, trigger_id FROM webhook_ordering_mark WHERE id > ? ORDER BY id LIMIT 1',
      [round.markId],
    );
    if (!next) {
      this.round = null;
      return false;
    }
    try {
      await this.process(Number(next.id), 1, round.stuck);
    } catch (error) {
      if (!isOfOne(error)) throw error;
      this.logger.error(
        `The order of trigger ${next.trigger_id} is not kept yet: ${(error as Error).message}`,
      );
    }
    round.markId = Number(next.id);
    return true;
  }

  /**
   * Takes marks from an id on.
   *
   * @param stuck ordering keys that are left alone; those whose groups could not be locked are added.
   * @returns how many were taken.
   */
  private process(fromId: number, limit: number, stuck = new Set<string>()): Promise<number> {
    return this.database.transaction(async (manager) => {
      const marks = await this.database.query<MarkRow[]>(
        `SELECT id, trigger_id FROM webhook_ordering_mark WHERE id >= ? ORDER BY id LIMIT ${limit} ${this.skipLocked}`,
        [fromId],
        manager,
      );
      if (marks.length === 0) return 0;
      const ids = marks.map(({ trigger_id }) => trigger_id);
      if (!(await this.reconcile(manager, ids, stuck))) return 0;
      await this.database.query(this.forget, [keysOf(marks.map(({ id }) => Number(id)))], manager);
      return marks.length;
    });
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
    const positions = await this.members.positions(manager, ids);
    const orderingKeys = orderingKeysOf(positions.values());
    if (orderingKeys.some((key) => stuck.has(key))) return false;
    await this.heads.lock(manager, orderingKeys).catch((error: unknown) => {
      if (isLockTimeout(error)) for (const key of orderingKeys) stuck.add(key);
      throw error;
    });
    const freed = await this.members.update(manager, ids, positions);
    const topics = new Set([...positions.values()].flatMap(({ topic }) => topic ?? []));
    await this.members.supersede(manager, [...topics], this.clock.now());
    const assigned = await this.heads.assign(manager, orderingKeys);
    const due = await this.heads.makeDue(manager, [...assigned, ...freed], now);
    const urgent = due.filter(isAskedFor).map(({ triggerId }) => triggerId);
    if (urgent.length > 0) await this.urgent.mark(manager, urgent);
    this.database.onCommit(manager, () => {
      if (due.length > 0) this.signals.emit('due', now);
      if (urgent.length > 0) this.signals.emit('urgent');
    });
    return true;
  }
}

/** Whether an error may be the fault of one group. */
const isOfOne = (error: unknown) => isLockTimeout(error) || !isDatabaseUnavailable(error);

const isAskedFor = ({ cause, isFresh }: NewHead) => cause === 'retry' && isFresh;

const orderingKeysOf = (positions: Iterable<GroupPosition>) => [
  ...new Set([...positions].map(({ orderingKey }) => orderingKey)),
];
