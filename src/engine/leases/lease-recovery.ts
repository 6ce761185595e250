import { Inject, Injectable, Logger } from '@nestjs/common';
import { Jobs } from '../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { Database } from '../../store/database.js';
import { REPLACED } from '../../store/tables/instance.entity.js';
import { Instance, NAMED_TIMEOUT_MS } from '../instance/instance.js';
import { InstanceRepository, type ListedInstance } from '../instance/instance.repository.js';
import { Liveness } from '../instance/liveness.js';
import { fromText, hasEnded, observe } from '../instance/process-identity.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { LeaseRecoveryRepository } from './lease-recovery.repository.js';
import { UnknownLeases } from './unknown-leases.js';

/** How often to look at the other instances within the timeout after which a silent one counts as dead. */
const POLLS_PER_TIMEOUT = 9;
/** How often to look whether a neighbour on this machine has died, which takes no statement. */
const NEIGHBOURS_MS = 500;
/** Own leases are compared at every second poll, so that triggers on their way to the dispatcher arrive in between. */
const POLLS_PER_COMPARISON = 2;

/** Makes due the triggers that dead processes, or broken commits, left behind. */
@Injectable()
export class LeaseRecovery {
  private readonly logger = new Logger('Delivery');
  private readonly everyMs: number;
  private readonly liveness: Liveness;
  /** The instances that the last poll found. */
  private others: ListedInstance[] = [];
  /** When the next poll is due, on the monotonic clock. */
  private pollAt = 0;
  private polls = 0;

  constructor(
    private readonly database: Database,
    private readonly instances: InstanceRepository,
    private readonly repository: LeaseRecoveryRepository,
    private readonly unknown: UnknownLeases,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
    jobs: Jobs,
  ) {
    const { instanceTimeoutMs } = settings.delivery;
    this.everyMs = instanceTimeoutMs / POLLS_PER_TIMEOUT;
    this.liveness = new Liveness(instanceTimeoutMs, 2 * this.everyMs);
    const soonMs = Math.min(NEIGHBOURS_MS, this.everyMs);
    jobs.add({
      logger: this.logger,
      failure: 'Could not take over the leases of dead instances',
      runs: 'sending',
      firstAfterMs: soonMs,
      againAfterErrorMs: soonMs,
      step: () => this.poll(),
    });
  }

  private async poll(): Promise<number> {
    const isDue = this.clock.monotonic() >= this.pollAt;
    if (isDue || this.others.some((other) => this.hasDied(other))) {
      await this.takeOver();
      if (isDue && ++this.polls % POLLS_PER_COMPARISON === 0) await this.unknown.requeue();
    }
    return Math.max(0, Math.min(NEIGHBOURS_MS, this.pollAt - this.clock.monotonic()));
  }

  /** Takes over what is nobody's any more. A start does this before it sends anything. */
  async takeOver(): Promise<void> {
    this.pollAt = this.clock.monotonic() + this.everyMs;
    this.others = [];
    const others = await this.instances.others(this.instance.id);
    const silent = this.liveness.poll(others, this.clock.monotonic());
    const dead = new Set(others.filter((other) => silent.includes(other) || this.hasDied(other)));
    await this.instances.removeDead([...dead]);
    this.others = others.filter((other) => !dead.has(other));
    if (this.others.some(({ heartbeatAt }) => heartbeatAt === REPLACED))
      this.pollAt = Math.min(this.pollAt, this.clock.monotonic() + NAMED_TIMEOUT_MS);
    let recovered = 0;
    // Looked at again the next time.
    const locked = new Set<string>();
    for (;;) {
      const some = await this.repository.recoverSome(this.clock.now(), locked);
      if (some === 0) break;
      recovered += some;
      this.signals.emit('returned');
    }
    if (recovered > 0) this.logger.warn(`${recovered} triggers of an instance that died are due again.`);
  }

  /** Whether it is known to be dead, without waiting for its heartbeats. */
  private hasDied({ process }: ListedInstance): boolean {
    if (this.database.hasOneProcess) return true;
    const own = this.instance.process;
    const other = fromText(process);
    return own !== null && other !== null && hasEnded(own, other, observe(other.pid));
  }
}
