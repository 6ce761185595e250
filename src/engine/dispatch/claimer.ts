import { Inject, Injectable, Logger } from '@nestjs/common';
import { Alarm } from '../../platform/alarm.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { QueueSignals } from '../ledger/queue-signals.js';
import { QueueTime } from '../ledger/queue-time.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { DueClaims } from './due-claims.js';
import { UrgentClaims } from './urgent-claims.js';
import { WaitingTriggers } from './waiting-triggers.js';

/** The longest time between two polls. Finds triggers that other processes made due or whose signals were lost. */
const POLL_MS = 1000;
/** The part of the capacity that has to be free to ask for more, even if one user fills the rest. */
const PLENTY = 1 / 8;
/** The wait before a small amount of capacity is filled: each claim is a commit and should be worth one. */
const SOON_MS = 20;

/**
 * Decides when to poll for due triggers. It polls as long as there is capacity for them.
 *
 * It either polls or sleeps until its alarm. A request during a poll causes another. A poll reads the database,
 * whoever asked for it, so triggers that no signal announced are found at most a second later.
 */
@Injectable()
export class Claimer {
  private readonly logger = new Logger('Delivery');
  private readonly alarm: Alarm;
  private running = false;
  /** The poll under way. */
  private polling: Promise<void> | null = null;
  /** When it last polled for triggers that no signal announced. Monotonic. */
  private polledAt = Number.NEGATIVE_INFINITY;
  private urgentWanted = true;
  private unsubscribe = () => {};

  constructor(
    private readonly queues: WebhookQueues,
    private readonly due: DueClaims,
    private readonly urgent: UrgentClaims,
    private readonly waiting: WaitingTriggers,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.alarm = new Alarm(clock, () => this.poll());
  }

  start(): void {
    this.running = true;
    this.unsubscribe = this.signals.subscribe({
      due: (time) => this.onDue(time),
      returned: () => this.onReturned(),
      urgent: () => this.onUrgent(),
      capacity: (webhookId) => this.onCapacity(webhookId),
    });
    this.poll();
  }

  /** Resolves when the poll under way has ended, and the dispatcher has what it claimed. */
  async stop(): Promise<void> {
    this.running = false;
    this.alarm.cancel();
    this.unsubscribe();
    await this.polling;
  }

  private onDue(time: number): void {
    const wait = time - this.time.now();
    if (wait > 0) {
      this.alarm.ringBy(this.clock.monotonic() + Math.min(wait, POLL_MS));
      return;
    }
    this.due.haveComeDue(time);
    this.poll();
  }

  private onReturned(): void {
    this.due.haveComeDue();
    this.poll();
  }

  private onUrgent(): void {
    this.urgentWanted = true;
    this.poll();
  }

  private onCapacity(webhookId: string): void {
    const wanted = this.due.goBackFor(webhookId);
    const others = this.queues.consumeRoomFreed();
    if (others) this.due.goBackForAll();
    const isUrgent = this.urgent.isLeft && (others || this.urgent.mayGoOnFor(webhookId));
    this.urgentWanted ||= isUrgent;
    if (wanted || others || isUrgent || (this.due.mayHaveMore && this.queues.isFree())) this.poll();
    else if (this.wantsMoreSoon) this.alarm.ringBy(this.clock.monotonic() + SOON_MS);
  }

  private get wantsMoreSoon(): boolean {
    return this.due.mayHaveMore && this.queues.isFree(PLENTY);
  }

  private poll(): void {
    this.due.lookAgain();
    if (this.running && !this.polling) this.polling = this.pollOnce();
  }

  private async pollOnce(): Promise<void> {
    // Reads the time on each poll, so that no step of the wall clock is missed even while the database is unavailable.
    this.time.now();
    let wait = POLL_MS;
    try {
      do {
        await this.claimAll();
        wait = await this.due.untilNext(POLL_MS);
        // Requests that arrived during the poll must not wait for the alarm.
      } while (this.running && (this.urgentWanted || (this.due.mayHaveMore && this.queues.isFree())));
      if (this.wantsMoreSoon) wait = Math.min(wait, SOON_MS);
    } catch (error) {
      // Triggers that were chosen but not claimed have to be found again.
      this.due.restart();
      this.logger.error(`Could not claim triggers: ${(error as Error).message}`);
    }
    this.polling = null;
    if (this.running) this.alarm.ringBy(this.clock.monotonic() + wait);
  }

  /** Claims until nothing more is due or there is no more capacity. */
  private async claimAll(): Promise<void> {
    do {
      const now = this.clock.monotonic();
      if (now - this.polledAt >= POLL_MS) {
        this.polledAt = now;
        this.urgentWanted = true;
        this.waiting.requeueLate();
        this.due.goBackForAll();
      }
      if (this.urgentWanted) {
        this.urgentWanted = false;
        await this.urgent
          .claim(() => this.running)
          // The others do not wait for them.
          .catch((error: Error) =>
            this.logger.error(`Could not claim tests and manual retries: ${error.message}`),
          );
      }
      this.due.restartInTime();
      if (this.queues.capacity === 0) return;
      await this.due.claimSome();
    } while (this.due.mayHaveMore && this.running);
  }
}
