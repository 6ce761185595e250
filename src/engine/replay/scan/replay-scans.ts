import { Injectable } from '@nestjs/common';
import { MissedScan } from './missed-scan.repository.js';
import type { Found, RecoveryScope, ReplayScan } from './recovery-scope.js';
import { UndeliveredScan } from './undelivered-scan.repository.js';

/** Rows examined together for the first one, at first. What is sought is nearly always the first of them. */
const MIN_WINDOW = 100;
/** Filters of events may refuse the first ones that the webhook has no trigger for. */
const TAKEN = 50;

/** How a recovery finds what to send again. */
@Injectable()
export class ReplayScans {
  constructor(
    private readonly undelivered: UndeliveredScan,
    private readonly missed: MissedScan,
  ) {}

  of({ missed }: { missed: boolean }): ReplayScan {
    return missed ? this.missed : this.undelivered;
  }

  /** The first of what a recovery with `missed` finds. @returns null if there is none. */
  async first(scope: RecoveryScope, start: string, isStopped: () => boolean): Promise<Found | null> {
    let after: string | null = start;
    for (let window = MIN_WINDOW; after !== null && !isStopped(); window *= 2) {
      const most = Math.min(window, this.missed.maxWindow);
      const { found, through } = await this.missed.next(scope, after, TAKEN, most);
      if (found[0]) return found[0];
      after = through;
    }
    return null;
  }
}
