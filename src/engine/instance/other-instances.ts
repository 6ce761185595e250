import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { REPLACED } from '../../store/tables/instance.entity.js';
import { Instance, NAMED_TIMEOUT_MS } from './instance.js';
import { InstanceRepository, type ListedInstance } from './instance.repository.js';
import { Liveness } from './liveness.js';
import { fromText, hasEnded, observe } from './process-identity.js';

/** How often to read the heartbeats of the others within the timeout after which a silent one counts as dead. */
const READS_PER_TIMEOUT = 9;
/** How often to look whether a neighbour on this machine has died, which takes no statement. */
const NEIGHBOURS_MS = 500;

/** The other processes of this service: which of them have died. */
@Injectable()
export class OtherInstances {
  /** How often to ask, at least. */
  readonly pollMs: number;
  private readonly everyMs: number;
  private readonly liveness: Liveness;
  /** The living ones that were read last. */
  private living: ListedInstance[] = [];
  /** When their heartbeats are to be read, on the monotonic clock. */
  private readAt = 0;

  constructor(
    private readonly repository: InstanceRepository,
    private readonly instance: Instance,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { instanceTimeoutMs } = settings.delivery;
    this.everyMs = instanceTimeoutMs / READS_PER_TIMEOUT;
    this.liveness = new Liveness(instanceTimeoutMs, 2 * this.everyMs);
    this.pollMs = Math.min(NEIGHBOURS_MS, this.everyMs);
  }

  /** Whether it is time to read their heartbeats. */
  get isDue(): boolean {
    return this.untilDueMs <= 0;
  }

  /** Milliseconds until then. */
  get untilDueMs(): number {
    return this.readAt - this.clock.monotonic();
  }

  /** Whether one that was alive is known to be dead by now, without waiting for its heartbeats. */
  get hasLostOne(): boolean {
    return this.living.some((other) => this.hasDied(other));
  }

  /** Reads their heartbeats, and removes the dead from the list. Their leases are nobody's then. */
  async removeDead(): Promise<void> {
    this.readAt = this.clock.monotonic() + this.everyMs;
    this.living = [];
    const others = await this.repository.others(this.instance.id);
    const silent = this.liveness.poll(others, this.clock.monotonic());
    const dead = new Set(others.filter((other) => silent.includes(other) || this.hasDied(other)));
    await this.repository.removeDead([...dead]);
    this.living = others.filter((other) => !dead.has(other));
    if (this.living.some(({ heartbeatAt }) => heartbeatAt === REPLACED))
      this.readAt = Math.min(this.readAt, this.clock.monotonic() + NAMED_TIMEOUT_MS);
  }

  private hasDied({ process }: ListedInstance): boolean {
    if (this.repository.isAlone) return true;
    const own = this.instance.process;
    const other = fromText(process);
    return own !== null && other !== null && hasEnded(own, other, observe(other.pid));
  }
}
