import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundTask } from '../../common/background-task.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { RequestHeadRepository, type StoredHead } from './request-head.repository.js';
import { STORE_AGAIN_MS } from './request-heads.js';

const FIRST_LOOK_MS = 10 * 60 * 1000;
const LOOK_AGAIN_MS = 24 * 60 * 60 * 1000;
/** Longer than the interval at which a head in use is stored again, and than any attempt waits to be stored. */
const UNUSED_MS = 24 * 60 * 60 * 1000;
/** A head may be in use for this long after it was last stored; allows for clocks that differ. */
const IN_USE_MS = 3 * STORE_AGAIN_MS;
const AT_ONCE = 100;

/** Deletes, in the background, heads that no stored attempt names any more. */
@Injectable()
export class RequestHeadSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: BackgroundTask;

  constructor(
    private readonly heads: RequestHeadRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.task = new BackgroundTask(clock, () => this.sweep(), {
      logger: new Logger('Delivery'),
      failure: 'Unused request heads not deleted',
      againAfterErrorMs: LOOK_AGAIN_MS,
    });
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.task.runAfter(FIRST_LOOK_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Callers that delete attempts run this afterwards. */
  async sweep(): Promise<number> {
    const time = this.clock.now() - UNUSED_MS;
    for (let behind: string | undefined = ''; behind !== undefined; ) {
      const heads: StoredHead[] = await this.heads.storedBefore(time, behind, AT_ONCE);
      for (const head of heads) {
        if (this.task.isStopped) return LOOK_AGAIN_MS;
        if (!(await this.heads.isNamed(head, head.storedAt + IN_USE_MS))) await this.heads.delete(head);
      }
      behind = heads.at(-1)?.id;
    }
    return LOOK_AGAIN_MS;
  }
}
