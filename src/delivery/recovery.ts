import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { failpoint } from '../common/failpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { IdempotencyRepository } from '../idempotency/idempotency.repository.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { Dispatcher } from './dispatcher.js';
import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';
import { QueueRepository } from './queue.repository.js';

/** Heartbeats in the time after which an instance without one is dead. */
const HEARTBEATS_PER_TIMEOUT = 4.5;

/** Keeps this process's leases alive, and makes due what dead processes, or broken commits, left behind. */
@Injectable()
export class Recovery {
  private readonly logger = new Logger('Delivery');
  private readonly timeoutMs: number;
  /** Leases that the database had for us, and we did not know of, at the last look. */
  private unknown = new Map<string, number>();
  private cancelTimer = () => {};
  private running = false;

  constructor(
    private readonly instances: InstanceRepository,
    private readonly queue: QueueRepository,
    private readonly idempotency: IdempotencyRepository,
    private readonly instance: Instance,
    private readonly dispatcher: Dispatcher,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.timeoutMs = settings.delivery.instanceTimeoutMs;
  }

  /** Registers this process and takes over what dead ones left. */
  async start(): Promise<void> {
    this.running = true;
    await this.instances.register(this.instance.id);
    failpoint('start-registered');
    await this.takeOver();
    this.schedule();
  }

  async stop(): Promise<void> {
    this.running = false;
    this.cancelTimer();
    await this.instances.remove(this.instance.id);
  }

  private schedule(): void {
    if (!this.running) return;
    this.cancelTimer = this.clock.after(this.timeoutMs / HEARTBEATS_PER_TIMEOUT, () => void this.beat());
  }

  private async beat(): Promise<void> {
    try {
      if (!(await this.instances.heartbeat(this.instance.id))) await this.comeBack();
      await this.takeOver();
      await this.giveBackUnknown();
      await this.idempotency.purge(this.clock.now());
    } catch (error) {
      this.logger.error(`Heartbeat failed: ${(error as Error).message}`);
    }
    this.schedule();
  }

  /** Others took this process for dead and have its leases now; the results of what is under way count for nothing. */
  private async comeBack(): Promise<void> {
    this.logger.warn('This instance was without a heartbeat for too long, and its triggers were taken over.');
    this.dispatcher.abandonWaiting();
    await this.instances.register(this.instance.id);
  }

  private async takeOver(): Promise<void> {
    await this.instances.removeDead(this.instance.id, this.timeoutMs);
    const recovered = await this.instances.recover(this.clock.now());
    if (recovered === 0) return;
    this.logger.warn(`${recovered} triggers of an instance that died are due again.`);
    this.signals.onReturned();
  }

  /** A commit whose answer got lost may have leased triggers to us that we never saw. */
  private async giveBackUnknown(): Promise<void> {
    const leases = [...(await this.queue.leasesOf(this.instance.id))].filter(
      ([id]) => !this.dispatcher.holds(id),
    );
    // Seen twice under the same lease: not just on its way between the database and the dispatcher.
    const lost = leases.filter(([id, lease]) => this.unknown.get(id) === lease);
    this.unknown = new Map(leases);
    await this.queue.release(
      lost.map(([id, lease]) => ({ id, lease })),
      { status: 'PENDING', at: this.clock.now() },
    );
    if (lost.length > 0) this.signals.onReturned();
  }
}
