import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { QueueTime } from '../ledger/queue-time.js';
import { NOBODY } from '../queue/user-shares.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { Receivers } from '../send/receivers.js';
import { Claims } from './claims.js';
import { DueRepository, type DueTrigger, type QueuePlace } from './due.repository.js';
import { DueScan, type HasRoom } from './due-scan.js';
import { RestartPace } from './restart-pace.js';

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
  private readonly pace: RestartPace;
  /** Whether the last read, ahead of the webhooks that were passed over, brought nothing for anybody. */
  private wasFruitless = false;

  constructor(
    private readonly dueTriggers: DueRepository,
    private readonly queues: WebhookQueues,
    private readonly scan: DueScan,
    private readonly receivers: Receivers,
    private readonly claims: Claims,
    private readonly time: QueueTime,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) { delivery }: Settings,
  ) {
    this.atOnce = delivery.gentle ? GENTLE_AT_ONCE : AT_ONCE;
    this.pace = new RestartPace(clock);
  }

  /** Notes that some triggers may stand before the place the scan has reached. */
  putBefore(): void {
    this.pace.putBefore();
  }

  /** Restarts the scan if it is time to. */
  restartInTime(): void {
    if (this.pace.tryRestart()) this.scan.restart();
  }

  /** Goes back for every webhook that was passed over and has room now, whether or not a signal said so. */
  goBackForAll(): void {
    this.scan.goBackWhere(this.hasRoom(WORTH_GOING_BACK));
  }

  /** @returns whether more may be due. */
  async claimSome(): Promise<boolean> {
    const now = this.time.now();
    const begin = this.clock.monotonic();
    const behind = this.scan.next(this.hasRoom(WORTH_GOING_BACK), this.hasRoom(WORTH_A_CLAIM));
    const wasGoingBack = this.scan.isGoingBack;
    const { found, isLast } = await this.read(now, behind);
    this.pace.read(this.clock.monotonic() - begin, isLast && !wasGoingBack);
    const ids = [...new Set(found.map(({ webhookId }) => webhookId))];
    const users = await this.receivers.usersOf(ids);
    const candidates = found.map(({ id, webhookId, dueAt }) => ({
      id,
      webhookId,
      dueAt,
      userId: users.get(webhookId) ?? NOBODY,
    }));
    const filled = new Set(ids.filter((id) => this.queues.isPartEmpty(id, WORTH_A_CLAIM)));
    let left = Math.min(this.atOnce, this.queues.room);
    const chosen = this.scan.choose(candidates, isLast, now, ({ webhookId, userId }) => {
      if (left === 0 || this.queues.room === 0) return null;
      const taken = filled.has(webhookId) && this.queues.reserve(webhookId, userId);
      if (taken) left--;
      return taken;
    });
    if (!wasGoingBack) this.wasFruitless = chosen.length === 0;
    await this.claims.claim(chosen);
    return !isLast || left === 0 || wasGoingBack || this.scan.wantsToGoBack;
  }

  /** Where a whole read was of webhooks without room, the next one leaves those out and looks further. */
  private async read(now: number, behind: QueuePlace): Promise<{ found: DueTrigger[]; isLast: boolean }> {
    const full = this.wasFruitless && !this.scan.isGoingBack ? this.fullOnes() : [];
    if (full.length > 0) return this.dueTriggers.dueOfOthers(now, behind, this.atOnce, full);
    const found = await this.dueTriggers.due(now, behind, this.atOnce);
    return { found, isLast: found.length < this.atOnce };
  }

  private fullOnes(): string[] {
    const full = this.scan.passedOver.filter((id) => !this.queues.isPartEmpty(id, WORTH_A_CLAIM));
    return full.slice(0, MAX_LEFT_OUT);
  }

  private hasRoom(part: number): HasRoom {
    return (webhookId, userId) => this.queues.isPartEmpty(webhookId, part) && this.queues.hasRoomFor(userId);
  }
}
