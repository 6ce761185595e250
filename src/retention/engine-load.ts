import { Inject, Injectable } from '@nestjs/common';
import { WebhookQueues } from '../engine/queue/webhook-queues.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LeftoverRepository } from './leftover.repository.js';
import type { Load } from './pace.js';

const FRESH_MS = 1000;
/** Looking takes a fiftieth of the time at most: the index may be full of entries that MySQL has not purged yet. */
const FRESH_TIMES = 50;
/** Triggers that have been due for longer wait for a place. */
const LATE_MS = 1000;

/** How much the engines of all processes have to do. */
@Injectable()
export class EngineLoad {
  private seen: Load = 'full';
  private freshUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly repository: LeftoverRepository,
    private readonly queues: WebhookQueues,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async now(): Promise<Load> {
    const begin = this.clock.monotonic();
    if (begin >= this.freshUntil) {
      const { isSending, isLate } = await this.repository.load(this.clock.now() - LATE_MS);
      this.seen = !isSending ? 'idle' : isLate ? 'full' : 'light';
      const end = this.clock.monotonic();
      this.freshUntil = end + Math.max(FRESH_MS, FRESH_TIMES * (end - begin));
    }
    return this.seen === 'idle' && this.queues.held > 0 ? 'light' : this.seen;
  }
}
