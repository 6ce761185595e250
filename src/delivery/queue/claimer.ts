import { Inject, Injectable, Logger } from '@nestjs/common';
import { Alarm } from '../../common/alarm.js';
import { CLOCK, type Clock } from '../../common/clock.js';
import { failpoint } from '../../common/failpoint.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { QueueSignals } from '../../trigger/queue-signals.js';
import { QueueTime } from '../../trigger/queue-time.js';
import { UrgentTriggerRepository } from '../../trigger/urgent-trigger.repository.js';
import { Instance } from '../recover/instance.js';
import { Dispatcher } from '../send/dispatcher.js';
import { Receivers } from '../send/receivers.js';
import { type Candidate, DueScan } from './due-scan.js';
import type { LeasedTrigger } from './leased-trigger.js';
import { QueueRepository } from './queue.repository.js';
import { RestartPace } from './restart-pace.js';
import { WebhookQueues } from './webhook-queues.js';

/** How long what other processes made due may lie unseen, and how long a signal that got lost may matter. */
const POLL_MS = 1000;
/** Before what little room there is is filled: each claim is a commit, and should be worth one. */
const SOON_MS = 20;
/** Triggers that are looked at, and claimed, in one go. */
const AT_ONCE = 250;
/** Where an application has the process. */
const GENTLE_AT_ONCE = 40;
/** Triggers that were asked for by hand, in one look. */
const URGENT_AT_ONCE = 100;

/** Whose share counts what waits for a webhook that is disabled or gone; it is cancelled when its turn comes. */
const NOBODY = '';

type Place = Pick<Candidate, 'id' | 'webhookId'>;

/**
 * Finds what is due, leases it, and hands it to the dispatcher, as long as that has room.
 *
 * It looks, or it sleeps until its alarm. Whatever asks for a look while it looks makes it look once more. A look goes by
 * what is there, not by who called: what no signal told of is found by the next one, a second later at the most.
 */
@Injectable()
export class Claimer {
  private readonly logger = new Logger('Delivery');
  private readonly atOnce: number;
  private readonly alarm: Alarm;
  private readonly pace: RestartPace;
  private running = false;
  private looking = false;
  /** When it was last looked for what nobody told of. Monotonic. */
  private polledAt = Number.NEGATIVE_INFINITY;
  private urgentWanted = true;
  private unsubscribe = () => {};

  constructor(
    private readonly queue: QueueRepository,
    private readonly urgent: UrgentTriggerRepository,
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly receivers: Receivers,
    private readonly dispatcher: Dispatcher,
    private readonly instance: Instance,
    private readonly signals: QueueSignals,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { delivery }: Settings,
  ) {
    this.atOnce = delivery.gentle ? GENTLE_AT_ONCE : AT_ONCE;
    this.alarm = new Alarm(clock, () => void this.look());
    this.pace = new RestartPace(clock);
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
    if (this.scan.isPast(time)) this.pace.putBefore();
    void this.look();
  }

  private onReturned(): void {
    this.pace.putBefore();
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
    if (others) this.goBackForAll();
    if (wanted || others || (this.scan.mayHaveMore && this.queues.isHalfFree)) void this.look();
    else if (this.wantsMoreSoon) this.alarm.ringBy(this.clock.monotonic() + SOON_MS);
  }

  /** Where one user fills three quarters of the room, the rest is for the others. */
  private get wantsMoreSoon(): boolean {
    return this.scan.mayHaveMore && this.queues.hasPlentyOfRoom;
  }

  private async look(): Promise<void> {
    this.scan.mayHaveMore = true;
    if (!this.running || this.looking) return;
    this.looking = true;
    // So that no step of the wall clock is missed, even while the database is away.
    this.time.now();
    let wait = POLL_MS;
    try {
      do {
        await this.claimAll();
        wait = await this.timeToNext();
        // What was asked for meanwhile must not wait for the alarm.
      } while (this.running && (this.urgentWanted || (this.scan.mayHaveMore && this.queues.isHalfFree)));
      if (this.wantsMoreSoon) wait = Math.min(wait, SOON_MS);
    } catch (error) {
      // What was chosen and not claimed is to be found again.
      this.scan.restart();
      this.logger.error(`Nothing claimed: ${(error as Error).message}`);
    }
    this.looking = false;
    if (this.running) this.alarm.ringBy(this.clock.monotonic() + wait);
  }

  /** As long as there is more, and room for it. */
  private async claimAll(): Promise<void> {
    do {
      const now = this.clock.monotonic();
      if (now - this.polledAt >= POLL_MS) {
        this.polledAt = now;
        this.urgentWanted = true;
        this.goBackForAll();
      }
      if (this.urgentWanted) await this.claimUrgent();
      if (this.pace.isTime()) this.scan.restart();
      if (this.queues.room === 0) return;
      this.scan.mayHaveMore = false;
      if (await this.claimSome()) this.scan.mayHaveMore = true;
    } while (this.scan.mayHaveMore && this.running);
  }

  /** What was passed over for want of room, and has it: no matter whether anybody said so. */
  private goBackForAll(): void {
    this.scan.goBackWhere(
      (webhookId, userId) => this.queues.isHalfEmpty(webhookId) && this.queues.hasRoomFor(userId),
    );
  }

  /** @returns whether more may be due. */
  private async claimSome(): Promise<boolean> {
    const now = this.time.now();
    const begin = this.clock.monotonic();
    const behind = this.scan.next();
    const wasGoingBack = this.scan.isGoingBack;
    const found = await this.queue.due(now, behind, this.atOnce);
    const isLast = found.length < this.atOnce;
    this.pace.read(this.clock.monotonic() - begin, isLast && !wasGoingBack);
    const users = await this.receivers.usersOf(found.map(({ webhookId }) => webhookId));
    const candidates = found.map((one) => ({ ...one, userId: users.get(one.webhookId) ?? NOBODY }));
    let left = Math.min(this.atOnce, this.queues.room);
    const chosen = this.scan.choose(candidates, isLast, now, ({ webhookId, userId }) => {
      if (left === 0 || this.queues.room === 0) return null;
      const taken = this.queues.reserve(webhookId, userId);
      if (taken) left--;
      return taken;
    });
    await this.claim(chosen);
    return !isLast || left === 0 || wasGoingBack || this.scan.wantsToGoBack;
  }

  /** What was asked for by hand goes before all else, and out although its receiver is paused. */
  private async claimUrgent(): Promise<void> {
    this.urgentWanted = false;
    const found = await this.urgent.find(URGENT_AT_ONCE);
    if (found.length === 0) return;
    const pending = found.filter(({ isPending }) => isPending);
    const users = await this.receivers.usersOf(pending.map(({ webhookId }) => webhookId));
    const refused = pending.filter(
      ({ webhookId }) => !this.queues.reserve(webhookId, users.get(webhookId) ?? NOBODY, true),
    );
    const chosen = pending.filter((trigger) => !refused.includes(trigger));
    await this.claim(chosen, true);
    // Whoever was refused for want of room keeps the mark; a trigger that others took needs none.
    await this.urgent.forget(found.filter((one) => !refused.includes(one)).map(({ id }) => id));
  }

  private async claim(chosen: Place[], urgent = false): Promise<void> {
    if (chosen.length === 0) return;
    const unclaimed = new Map(chosen.map((trigger) => [trigger.id, trigger.webhookId]));
    let claimed: LeasedTrigger[] = [];
    try {
      claimed = await this.queue.claim(
        this.instance.id,
        chosen.map(({ id }) => id),
      );
      if (claimed.length > 0) failpoint('claim-committed');
    } finally {
      for (const { id } of claimed) unclaimed.delete(id);
      this.dispatcher.unreserve([...unclaimed.values()]);
    }
    if (urgent) for (const trigger of claimed) trigger.urgent = true;
    this.dispatcher.offer(claimed);
  }

  private async timeToNext(): Promise<number> {
    // What was due by then is claimed, or waits until its webhook has room.
    const now = this.time.now();
    const next = await this.queue.nextDueAfter(now);
    return next === null ? POLL_MS : Math.min(POLL_MS, Math.max(1, next - this.time.now()));
  }
}
