import { Inject, Injectable } from '@nestjs/common';
import { WebhookQueues } from '../engine/queue/webhook-queues.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LeftoverRepository } from './leftover.repository.js';

/** Pauses in times of what the step before took. */
const WHILE_IDLE = 1;
const WHILE_SENDING = 9;
/** While attempts are made but none is late, and retention does not keep up. */
const CATCHING_UP = 3;
const MIN_PAUSE_MS = 1;

const FRESH_MS = 1000;
/** Reading takes a fiftieth of the time at most: the index may be full of entries that MySQL has not purged yet. */
const FRESH_TIMES = 50;
/** Triggers that have been due for longer wait for a place. */
const LATE_MS = 1000;

/** How long retention pauses, by how much the engines of all processes have to do. */
@Injectable()
export class Pauses {
  private seen = { isSending: true, isLate: true };
  private freshUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly repository: LeftoverRepository,
    private readonly queues: WebhookQueues,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns milliseconds. @param isBehind whether the last pass did not come to its end in time. */
  async after(ms: number, isBehind: boolean): Promise<number> {
    await this.refresh();
    const { isSending, isLate } = this.seen;
    const isIdle = !isSending && this.queues.budget.size === 0;
    const times = isIdle ? WHILE_IDLE : isBehind && !(isSending && isLate) ? CATCHING_UP : WHILE_SENDING;
    return Math.max(MIN_PAUSE_MS, ms * times);
  }

  private async refresh(): Promise<void> {
    const begin = this.clock.monotonic();
    if (begin < this.freshUntil) return;
    this.seen = await this.repository.load(this.clock.now() - LATE_MS);
    const end = this.clock.monotonic();
    this.freshUntil = end + Math.max(FRESH_MS, FRESH_TIMES * (end - begin));
  }
}
