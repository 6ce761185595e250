import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { QueueTime } from '../ledger/queue-time.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { Claims } from './claims.js';
import { DueScan, type HasCapacity } from './due-scan.js';
import { DueTriggers } from './due-triggers.js';
import { RescanThrottle } from './rescan-throttle.js';

/** Triggers read and claimed at a time: as many as ten webhooks take when half of their places are free. */
const AT_ONCE = 400;
/** Used when `delivery.gentle` is set. */
const GENTLE_AT_ONCE = 40;

/** How many webhooks a read leaves out. */
const MAX_LEFT_OUT = 500;

/** The part of a webhook's places that has to be free to go back for it. */
const WORTH_GOING_BACK = 1 / 2;
/** The part that has to be free to claim for it what was found anyway. Less is left until it is worth going back. */
const WORTH_A_CLAIM = 1 / 4;

/** Claims due triggers in the order of the queue, a part at a time, from the place the scan has reached. */
@Injectable()
export class DueClaims {
  private readonly atOnce: number;
  private readonly throttle: RescanThrottle;
  /** Whether the last read, ahead of the webhooks that were passed over, brought nothing for anybody. */
  private wasFruitless = false;

  constructor(
    private readonly due: DueTriggers,
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly claims: Claims,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { delivery }: Settings,
  ) {
    this.atOnce = delivery.gentle ? GENTLE_AT_ONCE : AT_ONCE;
    this.throttle = new RescanThrottle(clock);
  }

  /** Whether there may be due triggers that have not been examined. */
  get mayHaveMore(): boolean {
    return this.scan.mayHaveMore;
  }

  /** Notes that there may be. */
  lookAgain(): void {
    this.scan.mayHaveMore = true;
  }

  /** Notes that triggers have become due at this time; without one, that they may stand before the position of the scan. */
  haveComeDue(time = Number.NEGATIVE_INFINITY): void {
    if (this.scan.isPast(time)) this.throttle.requeuedBefore();
  }

  restart(): void {
    this.scan.restart();
  }

  /** Restarts the scan if it is time to. */
  restartInTime(): void {
    if (this.throttle.tryRestart()) this.scan.restart();
  }

  /** Goes back for a webhook that was passed over, if it is worth it. @returns whether it is. */
  goBackFor(webhookId: string): boolean {
    const isWorthIt = this.scan.hasPassed(webhookId) && this.queues.isPartEmpty(webhookId);
    if (isWorthIt) this.scan.goBackFor(webhookId);
    return isWorthIt;
  }

  /** Goes back for every webhook that was passed over and has capacity now, whether or not a signal said so. */
  goBackForAll(): void {
    this.scan.goBackWhere(this.hasCapacity(WORTH_GOING_BACK));
  }

  /** Then {@link mayHaveMore} says whether to go on. */
  async claimSome(): Promise<void> {
    this.scan.mayHaveMore = false;
    const now = this.time.now();
    const begin = this.clock.monotonic();
    const behind = this.scan.next(this.hasCapacity(WORTH_GOING_BACK), this.hasCapacity(WORTH_A_CLAIM));
    const wasGoingBack = this.scan.isGoingBack;
    const full = this.wasFruitless && !wasGoingBack ? this.fullOnes() : [];
    const { found, isLast } = await this.due.read(now, behind, this.atOnce, full);
    this.throttle.read(this.clock.monotonic() - begin, isLast && !wasGoingBack);
    const candidates = await this.due.withUsers(found);
    const ids = new Set(found.map(({ webhookId }) => webhookId));
    const filled = new Set([...ids].filter((id) => this.queues.isPartEmpty(id, WORTH_A_CLAIM)));
    let left = Math.min(this.atOnce, this.queues.capacity);
    const chosen = this.scan.choose(candidates, isLast, now, ({ webhookId, userId }) => {
      if (left === 0 || this.queues.capacity === 0) return null;
      const taken = filled.has(webhookId) && this.queues.reserve(webhookId, userId);
      if (taken) left--;
      return taken;
    });
    if (!wasGoingBack) this.wasFruitless = chosen.length === 0;
    await this.claims.claim(chosen);
    if (!isLast || left === 0 || wasGoingBack || this.scan.wantsToGoBack) this.lookAgain();
  }

  /**
   * Milliseconds until the next trigger is due, at most `mostMs`. Ignores triggers due now: they are claimed or wait for
   * capacity.
   */
  async untilNext(mostMs: number): Promise<number> {
    const next = await this.due.nextAfter(this.time.now());
    return next === null ? mostMs : Math.min(mostMs, Math.max(1, next - this.time.now()));
  }

  /** Webhooks without capacity: where a whole read was of such, the next one leaves them out and looks further. */
  private fullOnes(): string[] {
    const full = this.scan.passedOver.filter((id) => !this.queues.isPartEmpty(id, WORTH_A_CLAIM));
    return full.slice(0, MAX_LEFT_OUT);
  }

  private hasCapacity(part: number): HasCapacity {
    return (webhookId, userId) =>
      this.queues.isPartEmpty(webhookId, part) && this.queues.hasCapacityFor(userId);
  }
}
