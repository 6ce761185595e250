import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { outsideOfCalls } from '../../common/call.js';
import { Database } from '../../database/database.js';
import type { Insert } from '../../database/insert.js';
import type { ChangeKind } from './change.entity.js';
import { Watch } from './watch.service.js';

/** The ids of what has changed, or was made. */
export type Changed = Partial<Record<ChangeKind, string[]>>;

/**
 * Notes what happens to triggers and which notifications are accepted, in the transactions that do it, and only while
 * somebody watches. It only adds rows, so it waits for nobody.
 */
@Injectable()
export class ChangeLog {
  private readonly logger = new Logger('Streams');

  constructor(
    private readonly database: Database,
    private readonly watch: Watch,
  ) {}

  /** The rows to insert where the change is made; none while nobody watches. */
  async rowsOf(changed: Changed, manager?: EntityManager): Promise<Insert[]> {
    return (await this.watch.now(manager)) ? insertsOf(changed) : [];
  }

  /** Notes changes of triggers in a transaction of our own. */
  async add(manager: EntityManager, triggerIds: string[]): Promise<void> {
    for (const insert of await this.rowsOf({ trigger: triggerIds }, manager))
      await this.database.insertMany(manager, insert);
  }

  /**
   * The same for a transaction of the application. It may stay open for longer than readers look out for what was noted in
   * it, and may have begun before somebody watched. So its changes are noted once more when it commits.
   */
  rowsWithin(manager: EntityManager, changed: Changed): Insert[] {
    this.database.onCommit(manager, () => void outsideOfCalls(() => this.addLater(changed)));
    return this.watch.wasOn ? insertsOf(changed) : [];
  }

  private async addLater(changed: Changed): Promise<void> {
    try {
      const inserts = await this.rowsOf(changed);
      if (inserts.length > 0) await this.database.insertTogether(inserts);
    } catch (error) {
      this.logger.debug(`A change was not noted once more: ${(error as Error).message}`);
    }
  }
}

function insertsOf({ trigger = [], notification = [] }: Changed): Insert[] {
  const rows = [...notification.map((id) => ['notification', id]), ...trigger.map((id) => ['trigger', id])];
  return rows.length > 0 ? [{ table: 'webhook_change', columns: ['kind', 'subject_id'], rows }] : [];
}
