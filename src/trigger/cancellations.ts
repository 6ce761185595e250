import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { CancellationRepository } from './cancellation.repository.js';
import { QueueSignals } from './queue-signals.js';

/** How often a process looks for what another one left. */
const LOOK_MS = 60_000;

/** Goes on cancelling where there was too much for one transaction, also after a restart, or for a process that died. */
@Injectable()
export class Cancellations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Delivery');
  private readonly unsubscribe: () => void;
  private under: Promise<void> = Promise.resolve();
  private stopped = false;
  private cancelTimer = () => {};

  constructor(
    private readonly repository: CancellationRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
    signals: QueueSignals,
  ) {
    this.unsubscribe = signals.subscribe({ onLeftToCancel: () => this.goOn() });
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.look();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.unsubscribe();
    this.cancelTimer();
    await this.under;
  }

  private look(): void {
    if (this.stopped) return;
    this.goOn();
    this.cancelTimer = this.clock.after(LOOK_MS, () => this.look());
  }

  /** One after the other: what it is about may take a while, and others need the database as well. */
  private goOn(): void {
    this.under = this.under
      .then(() => this.cancelAll())
      .catch((error: Error) => {
        this.logger.error(`Not all cancelled yet: ${error.message}`);
      });
  }

  private async cancelAll(): Promise<void> {
    if (this.stopped) return;
    for (const one of await this.repository.left()) {
      let place: Awaited<ReturnType<CancellationRepository['cancelLeft']>> = null;
      do {
        place = await this.repository.cancelLeft(one.webhookId, place, this.clock.now());
        if (this.stopped) return;
      } while (place !== null);
      await this.repository.done(one);
    }
  }
}
