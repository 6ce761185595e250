import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JobHandle } from '../../../jobs/job.js';
import { Jobs } from '../../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import { RequestHeadRepository, type StoredHead } from './request-head.repository.js';
import { storeAgainMs, sweepAgainMs } from './request-head-times.js';

const FIRST_POLL_MS = 10 * 60 * 1000;
/** A head may be given to new attempts for this many times the interval at which it is stored; clocks may differ. */
const IN_USE_TIMES = 3;
const AT_ONCE = 100;

/** Deletes, in the background, heads that no stored attempt names any more. */
@Injectable()
export class RequestHeadSweep {
  private readonly job: JobHandle;
  private readonly againMs: number;
  private readonly inUseMs: number;

  constructor(
    private readonly heads: RequestHeadRepository,
    @Inject(SETTINGS) { retention }: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    jobs: Jobs,
  ) {
    this.againMs = sweepAgainMs(retention);
    this.inUseMs = IN_USE_TIMES * storeAgainMs(retention);
    this.job = jobs.add({
      logger: new Logger('Delivery'),
      failure: 'Could not delete unused request heads',
      runs: 'sending',
      firstAfterMs: Math.min(FIRST_POLL_MS, this.againMs),
      againAfterErrorMs: this.againMs,
      step: () => this.sweep(),
    });
  }

  /** Callers that delete attempts run this afterwards. */
  async sweep(): Promise<number> {
    const time = this.clock.now() - this.inUseMs;
    for (let behind: string | undefined = ''; behind !== undefined; ) {
      const heads: StoredHead[] = await this.heads.storedBefore(time, behind, AT_ONCE);
      for (const head of heads) {
        if (this.job.isStopping) return this.againMs;
        if (!(await this.isInUse(head))) await this.heads.delete(head);
      }
      behind = heads.at(-1)?.id;
    }
    return this.againMs;
  }

  /** An attempt under way names its head only once its result is stored, which may take as long as the database is away. */
  private async isInUse(head: StoredHead): Promise<boolean> {
    return (
      (await this.heads.isBeingSent(head)) || (await this.heads.isNamed(head, head.storedAt + this.inUseMs))
    );
  }
}
