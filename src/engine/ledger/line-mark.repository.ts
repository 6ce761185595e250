import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../store/database.js';
import type { Insert } from '../../store/insert.js';
import { idList } from '../../store/json-rows.js';
import { QueueSignals } from './queue-signals.js';

/**
 * Notes, in the transaction that changes triggers, that their lines have to be put right. It only adds rows, so it waits for
 * nobody, not even inside the long transaction of an application.
 */
@Injectable()
export class LineMarks {
  constructor(
    private readonly database: Database,
    private readonly signals: QueueSignals,
  ) {}

  /** Marks those of these triggers that stand in lines. */
  async add(manager: EntityManager, triggerIds: string[]): Promise<void> {
    if (triggerIds.length === 0) return;
    const { sql, parameters } = this.step(triggerIds);
    await this.database.query(sql, parameters, manager);
    this.database.onCommit(manager, () => this.signals.emit('lined'));
  }

  /** The same as a step of a script of SQLite. */
  step(triggerIds: string[]): { sql: string; parameters: unknown[] } {
    const ids = idList(this.database.dialect, triggerIds);
    return {
      sql: `INSERT INTO webhook_line_mark (trigger_id) SELECT id FROM webhook_trigger WHERE id IN ${ids.sql} AND lined = 1`,
      parameters: [ids.parameter],
    };
  }
}

/** The marks of triggers that are known to stand in lines. */
export const marksOf = (triggerIds: string[]): Insert => ({
  table: 'webhook_line_mark',
  columns: ['trigger_id'],
  rows: triggerIds.map((id) => [id]),
});
