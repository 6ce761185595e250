import { Injectable } from '@nestjs/common';
import { LAST_URGENT } from '../ledger/due-time.js';
import { isBefore, QUEUE_START } from '../ledger/queue-order.js';
import { WebhookQueues } from '../queue/webhook-queues.js';
import { Claims } from './claims.js';
import type { QueuePlace } from './due.repository.js';
import { DueTriggers } from './due-triggers.js';

/** Triggers claimed at a time. */
const AT_ONCE = 100;
/** Reads of one scan that may find nothing for which there is capacity. */
const MAX_FRUITLESS = 3;

/** Claims triggers that were requested manually. They go first, even if their receiver is paused. */
@Injectable()
export class UrgentClaims {
  /** Whether there are some that there was no capacity for, or that were not read. */
  isLeft = false;
  /** Where the next scan goes on behind the newest ones: there may be very many for which there is no capacity. */
  private goOnAt: QueuePlace | null = null;
  /** Webhooks for which there was no capacity in this scan, and its reads that brought nothing. */
  private readonly full = new Set<string>();
  private fruitless = 0;

  constructor(
    private readonly due: DueTriggers,
    private readonly queues: WebhookQueues,
    private readonly claims: Claims,
  ) {}

  /** @param isRunning false once no more may be claimed. */
  async claim(isRunning = () => true): Promise<void> {
    this.full.clear();
    this.fruitless = 0;
    // The newest ones are read each time. Behind them it goes on from where the last scan ended.
    let place = await this.claimBehind(QUEUE_START);
    if (place && this.goOnAt && isBefore(place, this.goOnAt)) place = this.goOnAt;
    while (place !== null && this.fruitless < MAX_FRUITLESS && isRunning())
      place = await this.claimBehind(place);
    this.goOnAt = place;
    this.isLeft = place !== null || this.full.size > 0;
  }

  /** Whether there is capacity by now for some of a webhook for which there was none. */
  mayGoOnFor(webhookId: string): boolean {
    return this.full.has(webhookId) && this.queues.urgentCapacity(webhookId) > 0;
  }

  /** @returns the last one that was examined; null if none stands behind it. */
  private async claimBehind(place: QueuePlace): Promise<QueuePlace | null> {
    const { found, isLast } = await this.due.read(LAST_URGENT, place, AT_ONCE, [...this.full]);
    const candidates = await this.due.withUsers(found);
    const left = new Map<string, number>();
    const chosen = candidates.filter(({ webhookId, userId }) => {
      const capacity = left.get(webhookId) ?? this.queues.urgentCapacity(webhookId);
      left.set(webhookId, capacity - 1);
      const hasCapacity =
        capacity > 0 && !this.full.has(webhookId) && this.queues.reserve(webhookId, userId, true);
      if (!hasCapacity) this.full.add(webhookId);
      return hasCapacity;
    });
    if (chosen.length === 0) this.fruitless++;
    await this.claims.claim(chosen);
    return isLast ? null : (found.at(-1) ?? null);
  }
}
