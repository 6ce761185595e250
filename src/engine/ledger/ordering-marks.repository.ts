import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import type { Insert } from '../../store/insert.js';
import { QueueSignals } from './queue-signals.js';

/**
 * Notes, in the transaction that changes triggers, that their groups have to be reconciled. It only adds rows, so it waits for
 * nobody, not even inside the long transaction of an application.
 */
@Injectable()
export class OrderingMarks {
  constructor(
    private readonly database: Database,
    private readonly signals: QueueSignals,
  ) {}

  /** Marks those of these triggers that are ordered. */
  async add(manager: EntityManager, triggerIds: string[]): Promise<void> {
    if (triggerIds.length === 0) return;
    const { sql, parameters } = this.step(triggerIds);
    await this.database.query(sql, parameters, manager);
    this.database.onCommit(manager, () => this.signals.emit('ordered'));
  }

  /** The same as a step of a script of SQLite. */
  step(triggerIds: string[]): { sql: string; parameters: unknown[] } {
    const ids = this.database.sql.idList(triggerIds);
    return {
      sql: `INSERT INTO webhook_ordering_mark (trigger_id) SELECT id FROM webhook_trigger WHERE id IN ${ids.sql} AND ordered = 1`,
      parameters: [ids.parameter],
    };
  }
}

/** The marks of triggers that are known to be ordered. */
export const orderingMarksOf = (triggerIds: string[]): Insert => ({
  table: 'webhook_ordering_mark',
  columns: ['trigger_id'],
  rows: triggerIds.map((id) => [id]),
});
