import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { outsideOfContexts } from '../../platform/contexts.js';
import { Database } from '../../store/database.js';
import type { Insert } from '../../store/insert.js';
import type { ChangeKind } from '../../store/tables/trigger/change.entity.js';
import { SLOW_MS, Watch } from './watch.service.js';

/** The ids of what has changed, or was made. */
export type Changed = Partial<Record<ChangeKind, string[]>>;

/** How often a change is tried to be noted that was committed already: the database may be away for a minute. */
const TRIES = 12;
const TRY_AGAIN_MS = 5000;

/**
 * Notes what happens to triggers and which notifications are accepted, in the transactions that do it, and only while
 * somebody watches. It only adds rows, so it waits for nobody.
 *
 * A write that was slow is noted once more behind its end, whatever it found when it asked. By then a watch that began
 * meanwhile is known, and what readers have given up looking out for comes under a new id.
 */
@Injectable()
export class ChangeLog {
  private readonly logger = new Logger('Streams');

  constructor(
    private readonly database: Database,
    private readonly watch: Watch,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Runs a write of our own.
   *
   * @param manager of its transaction; null if the write is one by itself.
   * @param write is given the rows to insert with it; none while nobody watches.
   */
  async noting<T>(
    changed: Changed,
    manager: EntityManager | null,
    write: (noted: Insert[]) => Promise<T>,
  ): Promise<T> {
    const askedAt = this.clock.monotonic();
    const ended = () => {
      if (this.clock.monotonic() - askedAt >= SLOW_MS) this.noteAgain(changed);
    };
    if (manager) {
      this.database.onCommit(manager, ended);
      return write(await this.rowsOf(changed, manager));
    }
    try {
      return await write(await this.rowsOf(changed));
    } finally {
      // Also if it failed: a commit that got no answer may have been made.
      ended();
    }
  }

  /** Notes changes of triggers in a transaction of our own. */
  async add(manager: EntityManager, triggerIds: string[]): Promise<void> {
    if (triggerIds.length === 0) return;
    await this.noting({ trigger: triggerIds }, manager, async (noted) => {
      for (const insert of noted) await this.database.insertMany(manager, insert);
    });
  }

  /** The same for a transaction of the application, which may have asked long ago: its changes are always noted once more. */
  rowsWithin(manager: EntityManager, changed: Changed): Insert[] {
    this.database.onCommit(manager, () => this.noteAgain(changed));
    return this.watch.wasOn ? insertsOf(changed) : [];
  }

  private async rowsOf(changed: Changed, manager?: EntityManager): Promise<Insert[]> {
    return (await this.watch.now(manager)) ? insertsOf(changed) : [];
  }

  private noteAgain(changed: Changed, triesLeft = TRIES): void {
    void outsideOfContexts(() => this.addLater(changed, triesLeft - 1));
  }

  private async addLater(changed: Changed, triesLeft: number): Promise<void> {
    try {
      const inserts = await this.rowsOf(changed);
      if (inserts.length > 0) await this.database.writeTogether(inserts);
    } catch (error) {
      this.logger.debug(`A change was not noted once more: ${(error as Error).message}`);
      if (triesLeft > 0) this.clock.after(TRY_AGAIN_MS, () => this.noteAgain(changed, triesLeft));
    }
  }
}

function insertsOf({ trigger = [], notification = [] }: Changed): Insert[] {
  const rows = [...notification.map((id) => ['notification', id]), ...trigger.map((id) => ['trigger', id])];
  return rows.length > 0 ? [{ table: 'webhook_change', columns: ['kind', 'subject_id'], rows }] : [];
}
