import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { HealthRepository } from '../../health/health.repository.js';
import type { Receiver } from '../../send/receivers.js';

/** Shorter pauses are over before anybody has read of them. */
const SHOWN_MS = 2000;
const MAX_REMEMBERED = 10_000;

/**
 * Stores until when a receiver is left alone, for the answers about its webhook. Only this process's queues go by it: each
 * process makes its own experience.
 */
@Injectable()
export class ReceiverPauses {
  private readonly logger = new Logger('Delivery');
  /** Webhooks whose pause this process has stored. */
  private readonly stored = new LRUCache<string, true>({ max: MAX_REMEMBERED });

  constructor(
    private readonly health: HealthRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Called when an attempt has opened the breaker, or found it open. */
  began(receiver: Receiver, pauseMs: number): void {
    if (pauseMs < SHOWN_MS) return;
    this.stored.set(receiver.webhookId, true);
    this.write(this.health.paused(receiver, this.clock.now() + Math.round(pauseMs)));
  }

  /** Called when a receiver has answered well. */
  ended(receiver: Receiver): void {
    const isStored = receiver.pausedUntil !== null && receiver.pausedUntil > this.clock.now();
    if (!isStored && !this.stored.has(receiver.webhookId)) return;
    this.stored.delete(receiver.webhookId);
    receiver.pausedUntil = null;
    this.write(this.health.paused(receiver, null));
  }

  private write(update: Promise<void>): void {
    update.catch((error: Error) =>
      this.logger.error(`Could not record the pause of a receiver: ${error.message}`),
    );
  }
}
