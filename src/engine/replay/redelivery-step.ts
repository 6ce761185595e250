import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { CarriedRecovery } from './carried-recovery.js';
import { RedeliveryRepository } from './redelivery.repository.js';
import { endIdOf, openEndOf, type RecoveryScope, type Stretch } from './scan/recovery-scope.js';
import { RecoveryWalks } from './scan/recovery-walks.js';
import { StepRepository } from './step.repository.js';

/** The pause before looking again whether the receiver has taken what is due: less than it takes for that at the pace. */
const BUSY_MS = 1000;
/** The pause before looking again at the end of a recovery that is still open. */
const AGAIN_MS = 1000;
/** The share of time spent on reading rows that are not wanted. */
const READING_PART = 0.5;
/** Rows counted in a step: more of them would hold up the other deliveries. */
const COUNTED_AT_ONCE = 1000;

/** What a recovery walks over, and whether the webhook's notifications stand in lines. */
interface LinedScope extends RecoveryScope {
  isLined: boolean;
}

/** One step of a recovery: finds the next triggers and makes them due, unless too many are waiting. */
@Injectable()
export class RedeliveryStep {
  constructor(
    private readonly repository: RedeliveryRepository,
    private readonly steps: StepRepository,
    private readonly walks: RecoveryWalks,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns the milliseconds until its next step; null if it has ended or is another instance's. */
  async take(one: CarriedRecovery): Promise<number | null> {
    const begin = this.clock.monotonic();
    if (await this.isReceiverBusy(one)) return BUSY_MS;
    const scope = await this.scopeOf(one);
    const walk = this.walks.of(one.row);
    const stretch = await walk.next(scope, one.row.position, one.pace.batch, one.window);
    one.adapt(stretch.found.length, walk.maxWindow);
    const openEnd = stretch.through === null ? openEndOf(one.row, this.clock.now()) : null;
    if (!(await this.makeDue(one, scope, { ...stretch, through: stretch.through ?? openEnd }))) return null;
    await this.count(one, scope);
    const now = this.clock.monotonic();
    const wait = Math.max(one.pace.wait(now), openEnd === null ? 0 : AGAIN_MS);
    return wait > 0 ? wait : (now - begin) * (1 / READING_PART - 1);
  }

  private async makeDue(one: CarriedRecovery, scope: LinedScope, stretch: Stretch): Promise<boolean> {
    const { row, pace } = one;
    const queueNow = this.time.now();
    const dueAt = pace.take(stretch.found.length, this.clock.monotonic()).map((delay) => queueNow + delay);
    const { endId } = scope;
    const isCarriedOn = await this.steps.carryOn(row, {
      stretch,
      isLined: scope.isLined,
      dueAt,
      endId,
      now: this.clock.now(),
    });
    const [first] = dueAt;
    if (first !== undefined) {
      this.signals.emit('due', first);
      this.signals.emit('lined');
    }
    if (!isCarriedOn) return false;
    one.waiting?.push(...stretch.found.map(({ triggerId }) => triggerId));
    row.position = stretch.through ?? endId;
    return true;
  }

  /** Whether its webhook has not yet tried enough of what is due: its receiver is slow or left alone after failures. */
  private async isReceiverBusy(one: CarriedRecovery): Promise<boolean> {
    one.waiting ??= await this.repository.last(one.row, one.maxWaiting);
    if (one.waiting.length >= one.maxWaiting) one.waiting = await this.repository.waiting(one.waiting);
    return one.waiting.length >= one.maxWaiting;
  }

  private async scopeOf({ row }: CarriedRecovery): Promise<LinedScope> {
    const { webhookId, userId } = row;
    const { events, isLined } = await this.repository.subscribed(webhookId);
    return { webhookId, userId, events, isLined, endId: endIdOf(row) };
  }

  /** Goes on with a count that took too long for the call which began the recovery. */
  private async count({ row }: CarriedRecovery, scope: RecoveryScope): Promise<void> {
    if (row.counted >= scope.endId) return;
    // What the walk has passed is counted by what it made due.
    const after = row.counted > row.position ? row.counted : row.position;
    const { count, through } = await this.walks.of(row).count(scope, after, COUNTED_AT_ONCE);
    await this.repository.addCounted(row, count, through ?? scope.endId);
    row.counted = through ?? scope.endId;
  }
}
