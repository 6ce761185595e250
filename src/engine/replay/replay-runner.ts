import { Inject, Injectable, Logger } from '@nestjs/common';
import type { JobHandle } from '../../jobs/job.js';
import { Jobs } from '../../jobs/jobs.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { ActiveReplay } from './active-replay.js';
import { RecoveryShare } from './recovery-share.js';
import { ReplayRepository } from './replay.repository.js';
import { ReplayStep } from './replay-step.js';

/** How often to look for recoveries that nobody carries on. */
const POLL_MS = 1000;
/**
 * Steps under way at a time. Nearly all of a step is waiting for the database, so that one after another would not keep the rate
 * of many recoveries, and one that waits for a locked row would stop all others. Each needs a connection.
 */
const AT_ONCE = 4;

/**
 * Carries on its share of the recoveries, a few steps at a time and each recovery's one after another. Nothing in memory has to
 * survive: the next step of each follows from its row.
 */
@Injectable()
export class ReplayRunner {
  private readonly logger = new Logger('Delivery');
  private readonly job: JobHandle;
  private readonly active = new Map<string, ActiveReplay>();
  /** The steps that are under way. */
  private readonly steps = new Set<Promise<void>>();
  private lookAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly share: RecoveryShare,
    private readonly repository: ReplayRepository,
    private readonly step: ReplayStep,
    signals: QueueSignals,
    jobs: Jobs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.job = jobs.add({
      logger: this.logger,
      failure: 'Could not continue recoveries',
      runs: 'sending',
      firstAfterMs: 0,
      againAfterErrorMs: POLL_MS,
      step: () => this.run(),
      settled: () => Promise.all(this.steps),
    });
    signals.subscribe({ recovering: () => this.pollNow() });
  }

  private pollNow(): void {
    this.lookAt = Number.NEGATIVE_INFINITY;
    this.job.wake();
  }

  /** Begins steps that are due, and sleeps until the next one, or until one ends if there are as many as may be. */
  private async run(): Promise<number> {
    const now = this.clock.monotonic();
    if (now >= this.lookAt) {
      this.lookAt = now + POLL_MS;
      await this.poll();
    }
    const idle = [...this.active.values()]
      .filter(({ isStepping, isStale }) => !isStepping && !isStale)
      .sort((a, b) => a.nextAt - b.nextAt);
    let next = this.lookAt;
    for (const one of idle) {
      if (this.job.isStopping || this.steps.size >= AT_ONCE) break;
      if (one.nextAt > this.clock.monotonic()) {
        next = Math.min(next, one.nextAt);
        break;
      }
      this.begin(one);
    }
    return Math.max(1, next - this.clock.monotonic());
  }

  private async poll(): Promise<void> {
    const ids = await this.share.take();
    const own = new Set(ids);
    for (const id of this.active.keys()) if (!own.has(id)) this.active.delete(id);
    const rows = await this.repository.read(ids.filter((id) => this.active.get(id)?.isStale ?? true));
    for (const row of rows) {
      const stale = this.active.get(row.id);
      if (stale) stale.renew(row);
      else this.active.set(row.id, new ActiveReplay(row, this.clock.monotonic()));
    }
  }

  private begin(one: ActiveReplay): void {
    one.isStepping = true;
    const step = this.advance(one).then(() => {
      one.isStepping = false;
      this.steps.delete(step);
      this.job.wake();
    });
    this.steps.add(step);
  }

  private async advance(one: ActiveReplay): Promise<void> {
    const { id } = one.row;
    try {
      const wait = await this.step.take(one);
      if (wait === null) this.active.delete(id);
      else one.stepped(this.clock.monotonic() + wait);
    } catch (error) {
      one.failed(this.clock.monotonic());
      this.logger.error(`Could not continue recovery ${id}: ${(error as Error).message}`);
    }
  }
}
