import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { BackgroundTask } from '../../../platform/background-task.js';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { SETTINGS, type Settings } from '../../../platform/config/settings.js';
import type { CancellationEntity } from '../../../store/tables/webhook/cancellation.entity.js';
import { QueueSignals } from '../queue-signals.js';
import { CancellationRepository } from './cancellation.repository.js';

/** How often a process looks for cancellations that another one left. */
const LOOK_MS = 60_000;

/** Finishes cancellations that were too large for one transaction, also after a restart or the death of a process. */
@Injectable()
export class Cancellations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly task: BackgroundTask;
  private readonly unsubscribe: () => void;

  constructor(
    private readonly repository: CancellationRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    signals: QueueSignals,
  ) {
    this.task = new BackgroundTask(clock, () => this.cancelAll(), {
      logger: new Logger('Delivery'),
      failure: 'Not all cancelled yet',
      againAfterErrorMs: LOOK_MS,
    });
    this.unsubscribe = signals.subscribe({ leftToCancel: () => this.task.runNow() });
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.task.runNow();
  }

  beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    return this.task.stop();
  }

  private async cancelAll(): Promise<number | null> {
    let failure: unknown;
    for (const one of await this.repository.left()) {
      // The rows of one webhook may be locked. The others have nothing to do with it.
      await this.cancel(one).catch((error: unknown) => {
        failure ??= error;
      });
      if (this.task.isStopped) return null;
    }
    if (failure !== undefined) throw failure;
    // A process that does not send finishes only its own cancellations.
    return this.settings.role === 'api' ? null : LOOK_MS;
  }

  private async cancel(one: CancellationEntity): Promise<void> {
    let place: Awaited<ReturnType<CancellationRepository['cancelLeft']>> = null;
    do {
      place = await this.repository.cancelLeft(one.webhookId, place, this.clock.now());
      if (this.task.isStopped) return;
    } while (place !== null);
    await this.repository.done(one);
  }
}
