import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { outsideOfContexts } from '../../platform/contexts.js';
import { Database } from '../../store/database.js';
import { ChangeRepository } from './change.repository.js';
import { WatchRepository, type WatchState } from './watch.repository.js';

/** How long a process goes on believing what it has read of the watch. */
export const BELIEVED_MS = 500;
/** A write that takes longer, from when it asked until its end, is noted once more behind it: see `ChangeLog`. */
export const SLOW_MS = 1000;

/** Whether somebody watches, as this process knows it. */
@Injectable()
export class Watch {
  private readonly logger = new Logger('Streams');
  private isOn = false;
  private readAt = Number.NEGATIVE_INFINITY;
  private isCleaning = false;

  constructor(
    private readonly repository: WatchRepository,
    private readonly changes: ChangeRepository,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** What was read last. It may be old. */
  get wasOn(): boolean {
    return this.isOn;
  }

  /** Whether anybody watches, or did at most half a second ago. @param manager of the transaction of our own that asks. */
  now(manager?: EntityManager): boolean | Promise<boolean> {
    // Nobody else could begin to watch where there is one process.
    const believed = this.database.hasOneProcess && !this.isOn ? Number.POSITIVE_INFINITY : BELIEVED_MS;
    return this.clock.monotonic() - this.readAt < believed ? this.isOn : this.ask(manager);
  }

  /** Begins to watch, or goes on. @returns the watch as it is then. */
  async renew(): Promise<WatchState> {
    await this.repository.renew();
    return this.read();
  }

  /** @throws Error if there is none: it was removed while it was on. */
  async read(): Promise<WatchState> {
    const at = this.clock.monotonic();
    const state = await this.repository.read();
    if (!state) throw new Error('The row that says who watches is gone.');
    this.learn(state.isOn, at);
    return state;
  }

  private async ask(manager: EntityManager | undefined): Promise<boolean> {
    const at = this.clock.monotonic();
    const state = await this.repository.read(manager);
    this.learn(state?.isOn ?? false, at);
    if (state && !state.isOn) outsideOfContexts(() => void this.cleanUp(state));
    return this.isOn;
  }

  /** What was read earlier and came later does not count. */
  private learn(isOn: boolean, at: number): void {
    if (at < this.readAt) return;
    this.isOn = isOn;
    this.readAt = at;
  }

  /** The row of a watch that is over stands for the changes that are left of it, so a death on the way leaves nothing behind. */
  private async cleanUp({ epoch }: WatchState): Promise<void> {
    if (this.isCleaning) return;
    this.isCleaning = true;
    try {
      const newest = await this.changes.newest();
      // Looked at again: what is noted from now on has a higher id.
      const state = await this.repository.read();
      if (state?.epoch !== epoch || state.isOn) return;
      await this.changes.remove(newest);
      await this.repository.remove(epoch);
    } catch (error) {
      this.logger.debug(`Noted changes are still to be removed: ${(error as Error).message}`);
    } finally {
      this.isCleaning = false;
    }
  }
}
