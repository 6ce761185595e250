import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import type { RecoveryEntity } from '../../../store/tables/webhook/recovery.entity.js';
import type { RecoveryScope } from './recovery-scope.js';
import { ReplayScans } from './replay-scans.js';

/** How long a call counts. Leaves time to store the recovery before the call's deadline. */
const BUDGET_MS = 3000;

/** How many triggers are counted, and up to which id; null if these are all. */
export interface Counted {
  total: number;
  through: string | null;
}

/** Counts what a recovery will make due: all of it, or as much as the time of a call allows. */
@Injectable()
export class RecoveryCount {
  /** The last part of a count that anybody waits for: parts of all calls run one after another, or many counts would hold up every read. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly scans: ReplayScans,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async count(row: RecoveryEntity, scope: RecoveryScope): Promise<Counted> {
    const scan = this.scans.of(row);
    const end = this.clock.monotonic() + BUDGET_MS;
    let total = 0;
    let after = row.position;
    do {
      const { count, through } = await this.oneAfterAnother(() => scan.count(scope, after, scan.maxWindow));
      total += count;
      if (through === null) return { total, through };
      after = through;
    } while (this.clock.monotonic() < end);
    return { total, through: after };
  }

  private oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }
}
