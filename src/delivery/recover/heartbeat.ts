import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { failpoint } from '../../common/failpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Dispatcher } from '../send/dispatcher.js';
import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';

/** Heartbeats sent within the timeout after which a silent instance counts as dead. */
const PER_TIMEOUT = 4.5;

/** Keeps this process, and so its leases, in the list of instances. It does nothing else, so that nothing delays it. */
@Injectable()
export class Heartbeat {
  private readonly logger = new Logger('Delivery');
  private readonly everyMs: number;
  private cancelTimer = () => {};
  private running = false;

  constructor(
    private readonly instances: InstanceRepository,
    private readonly instance: Instance,
    private readonly dispatcher: Dispatcher,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.everyMs = settings.delivery.instanceTimeoutMs / PER_TIMEOUT;
  }

  async start(): Promise<void> {
    this.running = true;
    await this.instances.register(this.instance.id);
    failpoint('start-registered');
    this.schedule();
  }

  /** Removes this process from the list. */
  async stop(): Promise<void> {
    this.running = false;
    this.cancelTimer();
    await this.instances.remove(this.instance.id);
  }

  private schedule(): void {
    if (this.running) this.cancelTimer = this.clock.after(this.everyMs, () => void this.beat());
  }

  private async beat(): Promise<void> {
    try {
      const isListed = await this.instances.heartbeat(this.instance.id);
      if (!isListed && this.running) await this.comeBack();
    } catch (error) {
      this.logger.error(`Heartbeat failed: ${(error as Error).message}`);
    }
    this.schedule();
  }

  /** Others took this process for dead and hold its leases now, so the results of attempts in flight will not count. */
  private async comeBack(): Promise<void> {
    this.logger.warn('This instance was without a heartbeat for too long, and its triggers were taken over.');
    this.dispatcher.abandonWaiting();
    await this.instances.register(this.instance.id);
  }
}
