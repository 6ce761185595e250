import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';
import { LeaseRecoveryRepository } from './lease-recovery.repository.js';
import { Liveness } from './liveness.js';
import { UnknownLeases } from './unknown-leases.js';

/** How often to look at the other instances within the timeout after which a silent one counts as dead. */
const LOOKS_PER_TIMEOUT = 9;
/** Own leases are compared at every second look, so that triggers on their way to the dispatcher arrive in between. */
const LOOKS_PER_COMPARISON = 2;

/** Makes due the triggers that dead processes, or broken commits, left behind. */
@Injectable()
export class LeaseRecovery {
  private readonly logger = new Logger('Delivery');
  private readonly everyMs: number;
  private readonly liveness: Liveness;
  private looks = 0;
  private cancelTimer = () => {};
  private running = false;

  constructor(
    private readonly database: Database,
    private readonly instances: InstanceRepository,
    private readonly repository: LeaseRecoveryRepository,
    private readonly unknown: UnknownLeases,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { instanceTimeoutMs } = settings.delivery;
    this.everyMs = instanceTimeoutMs / LOOKS_PER_TIMEOUT;
    this.liveness = new Liveness(instanceTimeoutMs, 2 * this.everyMs);
  }

  /** Takes over what is nobody's any more, then keeps looking. */
  async start(): Promise<void> {
    this.running = true;
    await this.takeOver();
    this.schedule();
  }

  stop(): void {
    this.running = false;
    this.cancelTimer();
  }

  private schedule(): void {
    if (this.running) this.cancelTimer = this.clock.after(this.everyMs, () => void this.look());
  }

  private async look(): Promise<void> {
    try {
      await this.takeOver();
      if (++this.looks % LOOKS_PER_COMPARISON === 0) await this.unknown.giveBack();
    } catch (error) {
      this.logger.error(`Recovery failed: ${(error as Error).message}`);
    }
    this.schedule();
  }

  private async takeOver(): Promise<void> {
    const others = await this.instances.others(this.instance.id);
    // On SQLite there can be no other instance.
    const dead =
      this.database.dialect === 'sqlite' ? others : this.liveness.look(others, this.clock.monotonic());
    await this.instances.removeDead(dead);
    let recovered = 0;
    for (;;) {
      const some = await this.repository.recoverSome(this.clock.now());
      if (some === 0) break;
      recovered += some;
      this.signals.emit('returned');
    }
    if (recovered > 0) this.logger.warn(`${recovered} triggers of an instance that died are due again.`);
  }
}
