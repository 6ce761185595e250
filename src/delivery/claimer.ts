import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, type Clock } from '../common/clock.js';
import { failpoint } from '../common/failpoint.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { QueueSignals } from '../trigger/queue-signals.js';
import { Dispatcher } from './dispatcher.js';
import { DueScan } from './due-scan.js';
import { Instance } from './instance.js';
import { type DueTrigger, QueueRepository } from './queue.repository.js';
import { Targets } from './targets.js';
import { WebhookQueues } from './webhook-queues.js';

/** How long what other processes made due may lie unseen. */
const POLL_MS = 1000;
/** Triggers that are looked at, and claimed, in one go. */
const AT_ONCE = 250;
/** Where an application has the process. */
const GENTLE_AT_ONCE = 40;
/** Reading the queue from its beginning again and again may take this part of the time at the most. */
const RESTART_PART = 0.05;
/** And this part where something is known to have been put before what was read. */
const RETURNED_PART = 0.2;
const RESTART_AT_LEAST_MS = 60_000;

/** Whose share counts what waits for a webhook that is disabled or gone; it is cancelled when its turn comes. */
const NOBODY = '';

/** Finds what is due, leases it, and hands it to the dispatcher, as long as that has room. */
@Injectable()
export class Claimer {
  private readonly logger = new Logger('Delivery');
  private readonly scan = new DueScan();
  private readonly atOnce: number;
  private running = false;
  private claiming = false;
  private again = false;
  private nextLookAt = Number.POSITIVE_INFINITY;
  private startedAt = 0;
  /** Spent on reading from there to the end, and whether that was reached. */
  private readMs = 0;
  private reachedEnd = true;
  /** Whether triggers were put before the place that the scan has come to. */
  private returned = false;
  private cancelTimer = () => {};
  private unsubscribe = () => {};

  constructor(
    private readonly queue: QueueRepository,
    private readonly queues: WebhookQueues,
    private readonly targets: Targets,
    private readonly dispatcher: Dispatcher,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { delivery }: Settings,
  ) {
    this.atOnce = delivery.gentle ? GENTLE_AT_ONCE : AT_ONCE;
  }

  start(): void {
    this.running = true;
    this.unsubscribe = this.signals.subscribe({
      onDue: () => void this.look(),
      onReturned: () => this.onReturned(),
    });
    this.dispatcher.listener = {
      isBehind: (webhookId) => this.again || this.scan.hasPassed(webhookId),
      onRoom: (webhookId) => this.onRoom(webhookId),
      onDueAt: (time) => this.lookAgainAt(time),
      onReturned: () => this.onReturned(),
    };
    void this.look();
  }

  stop(): void {
    this.running = false;
    this.cancelTimer();
    this.unsubscribe();
  }

  private onRoom(webhookId: string): void {
    const wanted = this.scan.hasPassed(webhookId) && this.queues.isHalfEmpty(webhookId);
    if (wanted) this.scan.goBackFor(webhookId);
    if (wanted || (this.again && this.queues.hasPlentyOfRoom)) void this.look();
  }

  private onReturned(): void {
    this.returned = true;
    void this.look();
  }

  private async look(): Promise<void> {
    this.again = true;
    if (!this.running || this.claiming) return;
    this.claiming = true;
    this.cancelTimer();
    let wait = POLL_MS;
    try {
      this.restartInTime();
      do {
        while (this.again && this.running && this.queues.room > 0) {
          this.again = false;
          if (await this.claimSome()) this.again = true;
        }
        wait = await this.timeToNext();
        // What was asked for meanwhile must not wait for the timer.
      } while (this.again && this.running && this.queues.hasPlentyOfRoom);
    } catch (error) {
      // What was chosen and not claimed is to be found again.
      this.scan.restart();
      this.logger.error(`Nothing claimed: ${(error as Error).message}`);
    }
    this.claiming = false;
    this.nextLookAt = Number.POSITIVE_INFINITY;
    this.lookAgainAt(this.clock.now() + wait);
  }

  /** @returns whether more may be due. */
  private async claimSome(): Promise<boolean> {
    const now = this.clock.now();
    const behind = this.scan.next();
    const wasGoingBack = this.scan.isGoingBack;
    const found = await this.queue.due(now, behind, this.atOnce);
    if (!this.reachedEnd) this.readMs += this.clock.now() - now;
    const isLast = found.length < this.atOnce;
    if (isLast) this.reachedEnd = true;
    const users = await this.targets.usersOf(found.map(({ webhookId }) => webhookId));
    let left = Math.min(this.atOnce, this.queues.room);
    const chosen = this.scan.choose(found, isLast, now, (webhookId) => {
      if (left === 0 || this.queues.room === 0) return null;
      const taken = this.queues.reserve(webhookId, users.get(webhookId) ?? NOBODY);
      if (taken) left--;
      return taken;
    });
    if (chosen.length > 0) await this.claim(chosen);
    return !isLast || left === 0 || wasGoingBack;
  }

  private async claim(chosen: DueTrigger[]): Promise<void> {
    const unclaimed = new Map(chosen.map((trigger) => [trigger.id, trigger.webhookId]));
    try {
      const claimed = await this.queue.claim(
        this.instance.id,
        chosen.map(({ id }) => id),
      );
      if (claimed.length > 0) failpoint('claim-committed');
      for (const { id } of claimed) unclaimed.delete(id);
      this.dispatcher.offer(claimed);
    } finally {
      this.dispatcher.unreserve([...unclaimed.values()]);
    }
  }

  private async timeToNext(): Promise<number> {
    // What was due by then is claimed, or waits until its webhook has room.
    const now = this.clock.now();
    const next = await this.queue.nextDueAfter(now);
    return next === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, next - this.clock.now()));
  }

  private restartInTime(): void {
    const age = this.clock.now() - this.startedAt;
    const part = this.returned ? RETURNED_PART : RESTART_PART;
    const wanted = this.reachedEnd && age >= Math.max(POLL_MS, this.readMs / part);
    if (!wanted && age < RESTART_AT_LEAST_MS) return;
    this.scan.restart();
    this.returned = false;
    this.startedAt = this.clock.now();
    this.readMs = 0;
    this.reachedEnd = false;
  }

  private lookAgainAt(time: number): void {
    if (!this.running || this.claiming || time >= this.nextLookAt) return;
    this.cancelTimer();
    this.nextLookAt = time;
    this.cancelTimer = this.clock.after(Math.max(1, time - this.clock.now()), () => void this.look());
  }
}
