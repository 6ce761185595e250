import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { isDuplicate } from '../../platform/database-error.js';
import { failpoint } from '../../platform/failpoint.js';
import { newId } from '../../platform/ids/ids.js';
import type { InstanceEntity } from '../../store/tables/instance.entity.js';
import { Dispatcher } from '../dispatch/dispatcher.js';
import { WaitingTriggers } from '../dispatch/waiting-triggers.js';
import { Instance } from '../instance/instance.js';
import { InstanceRepository } from '../instance/instance.repository.js';
import { toText } from '../instance/process-identity.js';

/** Heartbeats sent within the timeout after which a silent instance counts as dead. */
const PER_TIMEOUT = 4.5;

/** An instance in the list. */
type Row = Pick<InstanceEntity, 'id' | 'process' | 'name'>;

/** The pause after a heartbeat that failed while nothing may start. */
const AGAIN_MS = 1000;

/** Keeps this process, and so its leases, in the list of instances. It does nothing else, so that nothing delays it. */
@Injectable()
export class Heartbeat {
  private readonly logger = new Logger('Delivery');
  /** The name of this process; null for none. */
  private readonly name: string | null;
  private cancelTimer = () => {};
  private running = false;
  private isBeating = false;
  private hasFailed = false;
  /** The id under which it last tried to come back in vain. */
  private tried: string | null = null;

  constructor(
    private readonly instances: InstanceRepository,
    private readonly instance: Instance,
    private readonly dispatcher: Dispatcher,
    private readonly waiting: WaitingTriggers,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.name = instances.isAlone ? null : settings.delivery.instanceName;
    instance.onUnknown = () => this.beatNow();
  }

  async start(): Promise<void> {
    this.running = true;
    await this.register(this.instance.id, (row) => this.replace(row));
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
    if (!this.running) return;
    const everyMs = this.instance.timeoutMs / PER_TIMEOUT;
    const isUrgent = this.hasFailed && !this.instance.isValid;
    const ms = isUrgent ? Math.min(everyMs, AGAIN_MS) : everyMs;
    this.cancelTimer = this.clock.after(ms, () => void this.beat());
  }

  /** After one that failed, the next one comes soon anyway. */
  private beatNow(): void {
    if (!this.running || this.isBeating || this.hasFailed) return;
    this.cancelTimer();
    void this.beat();
  }

  private async beat(): Promise<void> {
    this.isBeating = true;
    try {
      const sent = this.instance.moment();
      const state = await this.instances.heartbeat(this.instance.id);
      if (state === 'listed') this.instance.confirm(sent);
      else if (this.running) await this.comeBack(state);
      this.hasFailed = false;
    } catch (error) {
      this.hasFailed = true;
      this.logger.error(`Heartbeat failed: ${(error as Error).message}`);
    }
    this.isBeating = false;
    this.schedule();
    this.dispatcher.resume();
  }

  /** Others hold the leases of this process now, so the results of attempts in flight will not count. */
  private async comeBack(state: 'replaced' | 'gone'): Promise<void> {
    this.logger.warn(state === 'gone' ? GONE : TAKEN_OVER);
    this.instance.invalidate();
    // It may have been stored without an answer, and would have the name.
    if (this.tried !== null) await this.instances.remove(this.tried);
    // Under another id: what is still being leased under this one is anybody's.
    this.tried = newId();
    await this.register(this.tried, (row) => this.instances.register(row));
    this.tried = null;
    this.waiting.abandon();
  }

  /** Registers this process, without its name if another one has that. */
  private async register(id: string, withName: (row: Row) => Promise<void>): Promise<void> {
    const { process } = this.instance;
    const row = { id, process: process && toText(process), name: this.name };
    const sent = this.instance.moment();
    try {
      await withName(row);
      this.instance.registered(sent, id, this.name !== null);
    } catch (error) {
      if (this.name === null || !isDuplicate(error)) throw error;
      this.logger.warn(
        `Another process has the instance name "${this.name}" now, and this one goes on without it. Give each a name of its own.`,
      );
      const again = this.instance.moment();
      await this.instances.register({ ...row, name: null });
      this.instance.registered(again, id, false);
    }
  }

  private replace(row: Row): Promise<void> {
    return row.name === null ? this.instances.register(row) : this.instances.replace(row);
  }
}

const GONE = 'This instance was without a heartbeat for too long, and its triggers were taken over.';
const TAKEN_OVER =
  'A process has started with the instance name of this one, and has taken over its triggers.';
