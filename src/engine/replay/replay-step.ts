import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import type { ActiveReplay } from './active-replay.js';
import { ReplayRepository } from './replay.repository.js';
import { ReplayStepRepository } from './replay-step.repository.js';
import { endIdOf, openEndOf, type RecoveryScope, type ScanPage } from './scan/recovery-scope.js';
import { ReplayScans } from './scan/replay-scans.js';

/** The pause before looking again whether the receiver has taken what is due: less than it takes for that at the rate. */
const BUSY_MS = 1000;
/** The pause before looking again at the end of a recovery that is still open. */
const AGAIN_MS = 1000;
/** The share of time spent on reading rows that are not wanted. */
const READING_PART = 0.5;
/** Rows counted in a step: more of them would hold up the other deliveries. */
const COUNTED_AT_ONCE = 1000;

/** What a recovery scans, and whether the webhook asks for an order. */
interface OrderedScope extends RecoveryScope {
  isOrdered: boolean;
}

/** One step of a recovery: finds the next triggers and makes them due, unless too many are waiting. */
@Injectable()
export class ReplayStep {
  constructor(
    private readonly repository: ReplayRepository,
    private readonly steps: ReplayStepRepository,
    private readonly scans: ReplayScans,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns the milliseconds until its next step; null if it has ended or is another instance's. */
  async take(one: ActiveReplay): Promise<number | null> {
    const begin = this.clock.monotonic();
    if (await this.isReceiverBusy(one)) return BUSY_MS;
    const scope = await this.scopeOf(one);
    const scan = this.scans.of(one.row);
    const page = await scan.next(scope, one.row.position, one.rate.batch, one.window);
    one.adapt(page.found.length, scan.maxWindow);
    const openEnd = page.through === null ? openEndOf(one.row, this.clock.now()) : null;
    if (!(await this.makeDue(one, scope, { ...page, through: page.through ?? openEnd }))) return null;
    await this.count(one, scope);
    const now = this.clock.monotonic();
    const wait = Math.max(one.rate.wait(now), openEnd === null ? 0 : AGAIN_MS);
    return wait > 0 ? wait : (now - begin) * (1 / READING_PART - 1);
  }

  private async makeDue(one: ActiveReplay, scope: OrderedScope, page: ScanPage): Promise<boolean> {
    const { row, rate } = one;
    const queueNow = this.time.now();
    const dueAt = rate.take(page.found.length, this.clock.monotonic()).map((delay) => queueNow + delay);
    const { endId } = scope;
    const isRunning = await this.steps.advance(row, {
      page,
      isOrdered: scope.isOrdered,
      dueAt,
      endId,
      now: this.clock.now(),
    });
    const [first] = dueAt;
    if (first !== undefined) {
      this.signals.emit('due', first);
      this.signals.emit('ordered');
    }
    if (!isRunning) return false;
    one.waiting?.push(...page.found.map(({ triggerId }) => triggerId));
    row.position = page.through ?? endId;
    return true;
  }

  /** Whether its webhook has not yet tried enough of what is due: its receiver is slow or left alone after failures. */
  private async isReceiverBusy(one: ActiveReplay): Promise<boolean> {
    one.waiting ??= await this.repository.last(one.row, one.maxWaiting);
    if (one.waiting.length >= one.maxWaiting) one.waiting = await this.repository.waiting(one.waiting);
    return one.waiting.length >= one.maxWaiting;
  }

  private async scopeOf({ row }: ActiveReplay): Promise<OrderedScope> {
    const { webhookId, userId } = row;
    const { events, isOrdered } = await this.repository.subscribed(webhookId);
    return { webhookId, userId, events, isOrdered, endId: endIdOf(row) };
  }

  /** Goes on with a count that took too long for the call which began the recovery. */
  private async count({ row }: ActiveReplay, scope: RecoveryScope): Promise<void> {
    if (row.counted >= scope.endId) return;
    // What the scan has passed is counted by what it made due.
    const after = row.counted > row.position ? row.counted : row.position;
    const { count, through } = await this.scans.of(row).count(scope, after, COUNTED_AT_ONCE);
    await this.repository.addCounted(row, count, through ?? scope.endId);
    row.counted = through ?? scope.endId;
  }
}
