import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../platform/batcher.js';
import { CLOCK, type Clock } from '../../../platform/clock.js';
import { type FailedLast, HealthRepository } from '../../health/health.repository.js';
import { pauseEndOf } from '../../health/shown-state.js';
import type { Receiver } from '../../send/receivers.js';

/** Shorter pauses are over before anybody has read of them. */
const SHOWN_MS = 2000;
const MAX_REMEMBERED = 10_000;
/** The least time between two statements that say what failed last, and the most webhooks in one. */
const EVERY_MS = 250;
const MAX_TOGETHER = 500;

/**
 * Stores what is only shown of a webhook: until when its receiver is left alone, which each process finds out for itself, and
 * which trigger failed last.
 */
@Injectable()
export class ShownHealth implements BeforeApplicationShutdown {
  private readonly logger = new Logger('Delivery');
  /** Webhooks whose pause this process has stored. */
  private readonly paused = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  /** What failed last of each webhook, until it is stored. */
  private readonly failures = new Map<string, FailedLast>();
  private readonly writer: Batcher<string, void>;
  private stopped = false;

  constructor(
    private readonly health: HealthRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    const options = { maxItems: MAX_TOGETHER, everyMs: EVERY_MS };
    this.writer = new Batcher((ids) => this.storeFailures(ids), options);
  }

  beforeApplicationShutdown(): void {
    this.stopped = true;
    this.failures.clear();
  }

  /** Called when an attempt has opened the breaker, or found it open. */
  pauses(receiver: Receiver, pauseMs: number): void {
    if (pauseMs < SHOWN_MS) return;
    this.paused.set(receiver.webhookId, true);
    const now = this.clock.now();
    this.write(receiver.webhookId, this.health.paused(receiver, now + Math.round(pauseMs), now));
  }

  /** Called when a receiver has answered well. */
  resumes(receiver: Receiver): void {
    if (pauseEndOf(receiver, this.clock.now()) === null && !this.paused.has(receiver.webhookId)) return;
    this.paused.delete(receiver.webhookId);
    receiver.pausedUntil = null;
    this.write(receiver.webhookId, this.health.resumed(receiver));
  }

  /** Called when an attempt has failed. */
  failed({ webhookId, generation }: Receiver, triggerId: string): void {
    if (this.stopped) return;
    const isWaiting = this.failures.has(webhookId);
    this.failures.set(webhookId, { webhookId, generation, triggerId });
    if (!isWaiting) this.write(webhookId, this.writer.add(webhookId));
  }

  private async storeFailures(webhookIds: string[]): Promise<undefined[]> {
    const failures = webhookIds.flatMap((id) => this.failures.get(id) ?? []);
    for (const id of webhookIds) this.failures.delete(id);
    if (failures.length > 0) await this.health.failedLast(failures);
    return webhookIds.map(() => undefined);
  }

  private write(webhookId: string, update: Promise<void>): void {
    update.catch((error: Error) =>
      this.logger.error(`Could not record what is shown of webhook ${webhookId}: ${error.message}`),
    );
  }
}
