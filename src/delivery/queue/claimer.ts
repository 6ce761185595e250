import { Inject, Injectable, Logger } from '@nestjs/common';
import { Alarm } from '../../common/alarm.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { QueueTime } from '../../trigger/queue-time.js';
import { DueClaims } from './due-claims.js';
import { DueScan } from './due-scan.js';
import { QueueRepository } from './queue.repository.js';
import { UrgentClaims } from './urgent-claims.js';
import { WebhookQueues } from './webhook-queues.js';

/** The longest time between two looks: for what other processes made due, and for signals that were lost. */
const POLL_MS = 1000;
/** The wait before little room is filled: each claim is a commit, and should be worth one. */
const SOON_MS = 20;

/**
 * Decides when to look for due triggers: as long as there is room for them.
 *
 * It either looks or sleeps until its alarm. A request that comes during a look causes another one. A look goes by what is
 * in the database, not by who asked for it: anything that no signal announced is found by the next look, at most a second
 * later.
 */
@Injectable()
export class Claimer {
  private readonly logger = new Logger('Delivery');
  private readonly alarm: Alarm;
  private running = false;
  private looking = false;
  /** The last look for what no signal announced. Monotonic. */
  private polledAt = Number.NEGATIVE_INFINITY;
  private urgentWanted = true;
  private unsubscribe = () => {};

  constructor(
    private readonly queue: QueueRepository,
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly due: DueClaims,
    private readonly urgent: UrgentClaims,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.alarm = new Alarm(clock, () => void this.look());
  }

  start(): void {
    this.running = true;
    this.unsubscribe = this.signals.subscribe({
      due: (time) => this.onDue(time),
      returned: () => this.onReturned(),
      urgent: () => this.onUrgent(),
      room: (webhookId) => this.onRoom(webhookId),
    });
    void this.look();
  }

  stop(): void {
    this.running = false;
    this.alarm.cancel();
    this.unsubscribe();
  }

  private onDue(time: number): void {
    const wait = time - this.time.now();
    if (wait > 0) {
      this.alarm.ringBy(this.clock.monotonic() + Math.min(wait, POLL_MS));
      return;
    }
    if (this.scan.isPast(time)) this.due.putBefore();
    void this.look();
  }

  private onReturned(): void {
    this.due.putBefore();
    void this.look();
  }

  private onUrgent(): void {
    this.urgentWanted = true;
    void this.look();
  }

  private onRoom(webhookId: string): void {
    const wanted = this.scan.hasPassed(webhookId) && this.queues.isHalfEmpty(webhookId);
    if (wanted) this.scan.goBackFor(webhookId);
    const others = this.queues.takeNewsOfRoom();
    if (others) this.due.goBackForAll();
    if (wanted || others || (this.scan.mayHaveMore && this.queues.isHalfFree)) void this.look();
    else if (this.wantsMoreSoon) this.alarm.ringBy(this.clock.monotonic() + SOON_MS);
  }

  /** True even if one user fills three quarters of the room: the rest is for the others. */
  private get wantsMoreSoon(): boolean {
    return this.scan.mayHaveMore && this.queues.hasPlentyOfRoom;
  }

  private async look(): Promise<void> {
    this.scan.mayHaveMore = true;
    if (!this.running || this.looking) return;
    this.looking = true;
    // Asked for each time, so that no step of the wall clock is missed even while the database is away.
    this.time.now();
    let wait = POLL_MS;
    try {
      do {
        await this.claimAll();
        wait = await this.timeToNext();
        // Requests that came meanwhile must not wait for the alarm.
      } while (this.running && (this.urgentWanted || (this.scan.mayHaveMore && this.queues.isHalfFree)));
      if (this.wantsMoreSoon) wait = Math.min(wait, SOON_MS);
    } catch (error) {
      // Triggers that were chosen and not claimed have to be found again.
      this.scan.restart();
      this.logger.error(`Nothing claimed: ${(error as Error).message}`);
    }
    this.looking = false;
    if (this.running) this.alarm.ringBy(this.clock.monotonic() + wait);
  }

  /** Claims as long as there is more, and room for it. */
  private async claimAll(): Promise<void> {
    do {
      const now = this.clock.monotonic();
      if (now - this.polledAt >= POLL_MS) {
        this.polledAt = now;
        this.urgentWanted = true;
        this.due.goBackForAll();
      }
      if (this.urgentWanted) {
        this.urgentWanted = false;
        await this.urgent.claim();
      }
      this.due.restartInTime();
      if (this.queues.room === 0) return;
      this.scan.mayHaveMore = false;
      if (await this.due.claimSome()) this.scan.mayHaveMore = true;
    } while (this.scan.mayHaveMore && this.running);
  }

  /** Milliseconds until the next trigger is due, at most {@link POLL_MS}: those due by now are claimed, or wait for room. */
  private async timeToNext(): Promise<number> {
    const now = this.time.now();
    const next = await this.queue.nextDueAfter(now);
    return next === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, next - this.time.now()));
  }
}
