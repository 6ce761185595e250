import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../common/clock.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { QueueRepository } from '../queue/queue.repository.js';
import { Dispatcher } from '../send/dispatcher.js';
import { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';
import { Liveness } from './liveness.js';

/** Looks at the others in the time after which one without a heartbeat is dead. */
const LOOKS_PER_TIMEOUT = 9;
/** Leases of our own are compared at every second look: what is on its way to the dispatcher arrives meanwhile. */
const LOOKS_PER_COMPARISON = 2;
const RELEASED_AT_ONCE = 200;

/** Makes due what dead processes, or broken commits, left behind. */
@Injectable()
export class LeaseRecovery {
  private readonly logger = new Logger('Delivery');
  private readonly everyMs: number;
  private readonly liveness: Liveness;
  /** Leases that the database had for us, and we did not know of, at the last comparison. */
  private unknown = new Map<string, number>();
  private looks = 0;
  private cancelTimer = () => {};
  private running = false;

  constructor(
    private readonly database: Database,
    private readonly instances: InstanceRepository,
    private readonly queue: QueueRepository,
    private readonly instance: Instance,
    private readonly dispatcher: Dispatcher,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { instanceTimeoutMs } = settings.delivery;
    this.everyMs = instanceTimeoutMs / LOOKS_PER_TIMEOUT;
    this.liveness = new Liveness(instanceTimeoutMs, 2 * this.everyMs);
  }

  /** Takes over what dead processes left, and goes on looking. */
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
      if (++this.looks % LOOKS_PER_COMPARISON === 0) await this.giveBackUnknown();
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
      const some = await this.instances.recoverSome(this.clock.now());
      if (some === 0) break;
      recovered += some;
      this.signals.emit('returned');
    }
    if (recovered > 0) this.logger.warn(`${recovered} triggers of an instance that died are due again.`);
  }

  /** A commit whose answer got lost may have leased triggers to us that we never saw. */
  private async giveBackUnknown(): Promise<void> {
    const leases = [...(await this.queue.leasesOf(this.instance.id))].filter(
      ([id]) => !this.dispatcher.holds(id),
    );
    // Seen twice under the same lease: not just on its way between the database and the dispatcher.
    const lost = leases.filter(([id, lease]) => this.unknown.get(id) === lease);
    this.unknown = new Map(leases);
    for (let from = 0; from < lost.length; from += RELEASED_AT_ONCE) {
      const some = lost.slice(from, from + RELEASED_AT_ONCE).map(([id, lease]) => ({ id, lease }));
      await this.queue.release(some, { status: 'PENDING', at: this.clock.now() });
    }
    if (lost.length > 0) this.signals.emit('returned');
  }
}
